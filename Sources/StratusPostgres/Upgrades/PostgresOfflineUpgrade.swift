#if Postgres
  import StratusDomain
  import StratusSQL

  /// Upgrades tables that are too old for online upgrades. No node may run meanwhile.
  struct PostgresOfflineUpgrade: Sendable {
    /// The layout of the first stores in PostgreSQL.
    private static let firstLayout: Int64 = 8

    let states: LayoutStates
    let makeEpoch: @Sendable () -> Int64
    let now: @Sendable () -> Int64

    /// Adds the row of the registry to `layouts`, if an earlier version or a copy has created the
    /// registry. It must be called in a transaction.
    func noteRegistry(on connection: PostgresConnection) throws(ServerError) {
      let installation = states.installation
      guard try states.state(of: installation, on: connection) == nil else { return }
      try note(installation, table: "registry", on: connection)
    }

    private func note(
      _ schema: String, table: String, on connection: PostgresConnection
    ) throws(ServerError) {
      try connection.define(
        """
        INSERT INTO "\(states.installation)".layouts (schema, layout, target, step)
          SELECT '\(schema)', layout, 0, 0 FROM "\(schema)".\(table);
        """)
    }

    /// Upgrades all tables that this version cannot use otherwise, each schema in a transaction of
    /// its own. A store whose tables are damaged is noted, and the others are upgraded.
    ///
    /// - Throws: `INTERNAL_ERROR` if a node runs, or if the upgrade of the registry fails.
    func run(on connection: PostgresConnection) throws(ServerError) {
      let installation = states.installation
      let (registry, numbers) = try connection.runApart(in: installation) {
        (connection) throws(ServerError) in
        (
          try states.state(of: installation, on: connection),
          try connection.all(
            OfflineStatements.open,
            [.text(installation), .integer(states.layouts.store.oldest)]
          ) { $0.integer(0) }
        )
      }
      if let registry, isTooOld(registry, in: installation) {
        let refusal = try transaction(on: connection) { () throws(ServerError) in
          try upgradeRegistry(on: connection)
        }
        if let refusal { throw refusal }
      }
      for number in numbers { try admit(number, on: connection) }
    }

    private func isTooOld(_ state: LayoutState, in schema: String) -> Bool {
      state.layout < states.layouts.kind(of: schema, in: states.installation).oldest
    }

    /// Runs a body while no node enters and no store is created.
    private func transaction<Value>(
      on connection: PostgresConnection, _ body: () throws(ServerError) -> Value
    ) throws(ServerError) -> Value {
      try connection.beginWrite(
        in: states.installation, locks: [PostgresLockNumber.stores(of: states.installation)])
      let value: Value
      do throws(ServerError) { value = try body() } catch {
        connection.rollback()
        throw error
      }
      try connection.commit().require()
      return value
    }

    /// - Returns: the reason why tables cannot be upgraded now, or nil if they can.
    private func refusal(
      of state: LayoutState, in schema: String, on connection: any SQLConnection
    ) throws(ServerError) -> ServerError? {
      if state.target != 0 { return Self.unfinished(schema) }
      return try Self.hasRunningNodes(on: connection) ? Self.nodesRun : nil
    }

    private func upgradeRegistry(
      on connection: PostgresConnection
    ) throws(ServerError) -> ServerError? {
      let schema = states.installation
      // Another node may have upgraded the tables in the meantime.
      guard let state = try states.state(of: schema, on: connection), isTooOld(state, in: schema)
      else { return nil }
      if let refusal = try refusal(of: state, in: schema, on: connection) { return refusal }
      try RegistryTables.prepare(on: connection, upgrade: nil)
      _ = try states.replace(
        state, by: LayoutState(layout: RegistryTables.layout), of: schema, on: connection)
      return nil
    }

    /// Makes a store usable whose layout is missing or too old, or that was damaged.
    private func admit(_ number: Int64, on connection: PostgresConnection) throws(ServerError) {
      let refusal: ServerError?
      do throws(ServerError) {
        refusal = try transaction(on: connection) { () throws(ServerError) in
          try upgradeStore(number, on: connection)
        }
      } catch {
        guard PostgresStoreFaults.isDamage(error) else { throw error }
        return try transaction(on: connection) { () throws(ServerError) in
          try PostgresStoreFaults.note(error, of: number, on: connection)
        }
      }
      if let refusal { throw refusal }
    }

    /// - Returns: the reason why the store cannot be upgraded now. A damaged store has none,
    ///   because it stays damaged.
    private func upgradeStore(
      _ number: Int64, on connection: PostgresConnection
    ) throws(ServerError) -> ServerError? {
      let address = try connection.first(OfflineStatements.address, [.integer(number)]) {
        [SQLValue.text($0.text(0)), SQLValue.text($0.text(1))]
      }
      // A node may have removed the store in the meantime.
      guard let address else { return nil }
      let schema = "\(states.installation)_\(number)"
      let isFaulty = try PostgresStoreFaults.reason(of: number, on: connection) != nil
      var found = try states.state(of: schema, on: connection)
      if found == nil {
        try note(schema, table: "store", on: connection)
        found = try states.state(of: schema, on: connection)
      }
      guard var state = found else { throw .fault("a store has no layout") }
      if isFaulty { state = try restoredState(state, of: schema, on: connection) }
      if isTooOld(state, in: schema) {
        if let refusal = try refusal(of: state, in: schema, on: connection) {
          return isFaulty ? nil : refusal
        }
        try upgradeStore(in: schema, from: state, on: connection)
      }
      if isFaulty, state.layout <= states.layouts.store.newest {
        try beginHistory(of: schema, at: address, on: connection)
        try PostgresStoreFaults.remove(number, on: connection)
      }
      return nil
    }

    /// Returns the state of a store that was damaged. Its tables may come from a backup with
    /// another layout than the one that `layouts` has.
    private func restoredState(
      _ known: LayoutState, of schema: String, on connection: PostgresConnection
    ) throws(ServerError) -> LayoutState {
      try connection.use(schema: schema)
      let layout = try StoreTables.foundLayout(on: connection)
      try connection.use(schema: states.installation)
      guard let layout else { throw .fault("a store has no layout") }
      if layout == known.layout { return known }
      let state = LayoutState(layout: layout)
      _ = try states.replace(known, by: state, of: schema, on: connection)
      try states.setPosition(nil, of: schema, on: connection)
      return state
    }

    private func upgradeStore(
      in schema: String, from state: LayoutState, on connection: PostgresConnection
    ) throws(ServerError) {
      guard state.layout >= Self.firstLayout else {
        throw .fault(
          "a store in PostgreSQL has another layout",
          facts: ["layout": "\(state.layout)", "known": "\(StoreTables.layout)"])
      }
      try connection.use(schema: schema)
      try StoreTables.prepare(on: connection, makeEpoch: { 0 }, now: now)
      try connection.define(PostgresTables.tuning)
      try connection.use(schema: states.installation)
      _ = try states.replace(
        state, by: LayoutState(layout: StoreTables.layout), of: schema, on: connection)
    }

    /// Begins a new history in a store that was damaged: its tables may come from a backup, and all
    /// change tokens may have expired in the other stores meanwhile.
    private func beginHistory(
      of schema: String, at address: [SQLValue], on connection: PostgresConnection
    ) throws(ServerError) {
      let epoch = makeEpoch()
      try connection.use(schema: schema)
      try StoreTables.beginTimeline(epoch: epoch, now: now(), on: connection)
      try connection.use(schema: states.installation)
      try connection.execute(OfflineStatements.keepEpoch, [.integer(epoch)] + address)
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
    /// The stores whose layout is missing or too old, and the damaged ones.
    static let open = SQLStatement(
      """
      SELECT store_schemas.number FROM store_schemas
      LEFT JOIN layouts ON layouts.schema = ?::TEXT || '_' || store_schemas.number
      WHERE layouts.layout IS NULL OR layouts.layout < ? OR EXISTS (
        SELECT 1 FROM store_faults WHERE store_faults.number = store_schemas.number)
      ORDER BY store_schemas.number
      """)
    static let address = SQLStatement(
      "SELECT container, environment FROM store_schemas WHERE number = ?")
    static let keepEpoch = SQLStatement(
      "UPDATE stores SET epoch = ? WHERE container = ? AND environment = ?")
    static let running = SQLStatement(
      "SELECT COUNT(*) FROM nodes WHERE seen_at >= \(PostgresTables.now) - ?")
  }
#endif
