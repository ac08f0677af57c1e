#if Postgres
  import StratusDomain
  import StratusSQL

  /// Upgrades tables that are too old for online upgrades. No node may run meanwhile.
  struct PostgresOfflineUpgrade: Sendable {
    /// The layout of the first stores in PostgreSQL.
    private static let firstLayout: Int64 = 8

    let states: LayoutStates
    let now: @Sendable () -> Int64

    /// Adds the rows of `layouts` for tables that an earlier version or a copy has created. It must
    /// be called in a transaction.
    func noteLayouts(on connection: PostgresConnection) throws(ServerError) {
      let installation = states.installation
      let numbers = try connection.all(OfflineStatements.unknown, [.text(installation)]) {
        $0.integer(0)
      }
      var tables = numbers.map { number in
        (schema: "\(installation)_\(number)", table: "store")
      }
      if try states.state(of: installation, on: connection) == nil {
        tables.append((schema: installation, table: "registry"))
      }
      for (schema, table) in tables {
        try connection.define(
          """
          INSERT INTO layouts (schema, layout, target, step)
            SELECT '\(schema)', layout, 0, 0 FROM "\(schema)".\(table);
          """)
      }
    }

    /// Upgrades all tables that this version cannot use otherwise, each schema in a transaction of
    /// its own.
    ///
    /// - Throws: `INTERNAL_ERROR` if a node runs, or if an upgrade fails.
    func run(on connection: PostgresConnection) throws(ServerError) {
      let found = try connection.runApart(in: states.installation) {
        (connection) throws(ServerError) in
        try states.all(on: connection)
      }
      for (schema, state) in found where isTooOld(state, in: schema) {
        try connection.beginWrite(
          in: states.installation, locks: [PostgresLockNumber.stores(of: states.installation)])
        do throws(ServerError) { try upgrade(schema, on: connection) } catch {
          connection.rollback()
          throw error
        }
        try connection.commit().require()
      }
    }

    private func isTooOld(_ state: LayoutState, in schema: String) -> Bool {
      state.layout < states.layouts.kind(of: schema, in: states.installation).oldest
    }

    private func upgrade(_ schema: String, on connection: PostgresConnection) throws(ServerError) {
      // Another node may have upgraded the tables in the meantime.
      guard let state = try states.state(of: schema, on: connection), isTooOld(state, in: schema)
      else { return }
      if state.target != 0 { throw Self.unfinished(schema) }
      if try Self.hasRunningNodes(on: connection) { throw Self.nodesRun }
      let layout: Int64
      if schema == states.installation {
        try RegistryTables.prepare(on: connection, upgrade: nil)
        layout = RegistryTables.layout
      } else {
        guard state.layout >= Self.firstLayout else {
          throw .fault(
            "a store in PostgreSQL has another layout",
            facts: ["layout": "\(state.layout)", "known": "\(StoreTables.layout)"])
        }
        try connection.use(schema: schema)
        try StoreTables.prepare(on: connection, makeEpoch: { 0 }, now: now)
        try connection.define(PostgresTables.tuning)
        layout = StoreTables.layout
      }
      _ = try states.replace(
        state, by: LayoutState(layout: layout), of: schema, on: connection)
    }

    /// Whether a node has had a heartbeat in the last 30 seconds.
    ///
    /// - Parameter connection: a connection whose schema is that of the installation.
    static func hasRunningNodes(on connection: any SQLConnection) throws(ServerError) -> Bool {
      let running = try connection.first(
        OfflineStatements.running, [.integer(PostgresHeartbeat.silenceMilliseconds)]
      ) { $0.integer(0) }
      return (running ?? 0) > 0
    }

    /// The error for tables that cannot be upgraded while nodes run.
    static var nodesRun: ServerError {
      var error = ServerError.fault("nodes of an earlier version are running")
      error.hint = """
        this version cannot work beside them: stop all nodes; a node that was killed counts as \
        running for 30 seconds
        """
      return error
    }

    /// The error for an upgrade that only an earlier version can finish.
    static func unfinished(_ schema: String) -> ServerError {
      var error = ServerError.fault(
        "an upgrade to an earlier layout is not complete", facts: ["schema": schema])
      error.hint = "start the earlier version until its upgrade is complete"
      return error
    }
  }

  private enum OfflineStatements {
    static let unknown = SQLStatement(
      """
      SELECT number FROM store_schemas WHERE NOT EXISTS (
        SELECT 1 FROM layouts WHERE layouts.schema = ?::TEXT || '_' || number)
      """)
    static let running = SQLStatement(
      "SELECT COUNT(*) FROM nodes WHERE seen_at >= \(PostgresTables.now) - ?")
  }
#endif
