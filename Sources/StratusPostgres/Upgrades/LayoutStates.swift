#if Postgres
  import StratusDomain
  import StratusSQL

  /// The layout of a schema's tables, and the state of an unfinished upgrade.
  struct LayoutState: Sendable, Hashable {
    var layout: Int64
    /// The layout to which an unfinished upgrade leads, or 0 if there is none.
    var target: Int64 = 0
    /// The number of finished steps of the upgrade.
    var step: Int64 = 0
  }

  /// The rows of the table `layouts` of an installation.
  ///
  /// The statements contain the name of the installation's schema, because bodies of stores use
  /// them, too.
  struct LayoutStates: Sendable {
    /// The schema of the installation.
    let installation: String
    let layouts: PostgresLayouts
    private let find: SQLStatement
    private let list: SQLStatement
    private let change: SQLStatement
    private let place: SQLStatement
    private let continueFill: SQLStatement
    private let endFill: SQLStatement
    /// The stores that have not reached a layout or whose upgrade was begun. The last column is the
    /// number of all such stores.
    let unfinishedStores: SQLStatement

    init(installation: String, layouts: PostgresLayouts) {
      self.installation = installation
      self.layouts = layouts
      let table = "\"\(installation)\".layouts"
      let fills = "\"\(installation)\".fills"
      find = SQLStatement("SELECT layout, target, step FROM \(table) WHERE schema = ?")
      list = SQLStatement("SELECT layout, target, step, schema FROM \(table) ORDER BY schema")
      change = SQLStatement(
        """
        UPDATE \(table) SET layout = ?, target = ?, step = ?
        WHERE schema = ? AND layout = ? AND target = ? AND step = ?
        """)
      place = SQLStatement("SELECT position FROM \(fills) WHERE schema = ?")
      continueFill = SQLStatement(
        """
        INSERT INTO \(fills) (schema, position) VALUES (?, ?)
        ON CONFLICT (schema) DO UPDATE SET position = excluded.position
        """)
      endFill = SQLStatement("DELETE FROM \(fills) WHERE schema = ?")
      unfinishedStores = SQLStatement(
        """
        SELECT container, environment, layout, target, step, fills.position, COUNT(*) OVER ()
        FROM "\(installation)".store_schemas
        JOIN \(table) ON layouts.schema = '\(installation)_' || store_schemas.number
        LEFT JOIN \(fills) ON fills.schema = layouts.schema
        WHERE target <> 0 OR layout < ?
        ORDER BY store_schemas.number LIMIT ?
        """)
    }

    /// Returns the state of a schema, or nil if the schema was removed.
    func state(
      of schema: String, on connection: any SQLConnection
    ) throws(ServerError) -> LayoutState? {
      try connection.first(find, [.text(schema)]) { Self.state($0) }
    }

    /// Returns the state of each schema, sorted by their names.
    func all(
      on connection: any SQLConnection
    ) throws(ServerError) -> [(schema: String, state: LayoutState)] {
      try connection.all(list, []) { (schema: $0.text(3), state: Self.state($0)) }
    }

    /// Returns the phase of a schema for the bodies of this node.
    func phase(
      of schema: String, on connection: any SQLConnection
    ) throws(ServerError) -> SQLUpgradePhase {
      let kind = layouts.kind(of: schema, in: installation)
      guard kind.upgrade != nil else { return .complete }
      guard let state = try state(of: schema, on: connection) else { return .complete }
      return kind.phase(of: state)
    }

    /// Replaces the state of a schema, unless another node has replaced it.
    ///
    /// - Returns: whether the state was replaced.
    func replace(
      _ earlier: LayoutState, by state: LayoutState, of schema: String,
      on connection: any SQLConnection
    ) throws(ServerError) -> Bool {
      try connection.execute(
        change,
        [
          .integer(state.layout), .integer(state.target), .integer(state.step), .text(schema),
          .integer(earlier.layout), .integer(earlier.target), .integer(earlier.step),
        ]) == 1
    }

    /// Returns the key after which a fill continues.
    func position(
      of schema: String, on connection: any SQLConnection
    ) throws(ServerError) -> Int64 {
      try connection.first(place, [.text(schema)]) { $0.integer(0) } ?? .min
    }

    /// Stores the key after which a fill continues. nil means that the fill is complete.
    func setPosition(
      _ position: Int64?, of schema: String, on connection: any SQLConnection
    ) throws(ServerError) {
      if let position {
        try connection.execute(continueFill, [.text(schema), .integer(position)])
      } else {
        try connection.execute(endFill, [.text(schema)])
      }
    }

    private static func state(_ row: any SQLRow) -> LayoutState {
      LayoutState(layout: row.integer(0), target: row.integer(1), step: row.integer(2))
    }
  }
#endif
