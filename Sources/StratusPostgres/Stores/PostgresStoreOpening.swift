#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire

  /// Creates, opens and removes the schemas of stores.
  struct PostgresStoreOpening: Sendable {
    /// The schema of the installation.
    let schema: String
    let pools: PostgresPools
    let states: LayoutStates
    let now: @Sendable () -> Int64

    private var cluster: PostgresEngine<PostgresSession> {
      PostgresEngine(schema: schema, pools: pools)
    }

    /// The place of a store.
    struct Place: Sendable, Hashable {
      var schema: String
      var layout: Int64
      /// The reason why the store is damaged, or nil if it is not.
      var damage: String?
    }

    /// Returns the place of each store.
    func list() async throws(ServerError) -> [StoreAddress: Place] {
      let rows = try await cluster.read { [schema] (session) throws(ServerError) in
        try session.connection.all(SchemaStatements.list, [.text(schema), .text(schema)]) { row in
          (
            container: row.text(0), environment: row.text(1), number: row.integer(2),
            layout: row.integer(3), damage: row.isNull(4) ? nil : row.text(4),
            isNoted: !row.isNull(5)
          )
        }
      }
      if rows.contains(where: { $0.damage != nil && !$0.isNoted }) { try await noteMissing() }
      var places: [StoreAddress: Place] = [:]
      for row in rows {
        // A later version may know further environments.
        guard let environment = ContainerEnvironment(rawValue: row.environment) else { continue }
        places[StoreAddress(container: row.container, environment: environment)] =
          Place(schema: name(of: row.number), layout: row.layout, damage: row.damage)
      }
      return places
    }

    /// Notes the stores without a schema. So they begin a new history when a node uses them again.
    private func noteMissing() async throws(ServerError) {
      try await cluster.write(locking: [PostgresLockNumber.storesKey]) {
        [schema] (session) throws(ServerError) in
        _ = try session.connection.execute(SchemaStatements.noteMissing, [.text(schema)])
      }
    }

    /// Returns the schema of a store, and creates it if it does not exist.
    ///
    /// - Parameter epoch: the epoch of a new store.
    /// - Throws: `TRY_AGAIN_LATER` if a later version has upgraded the store, or if nodes of an
    ///   earlier version could not use a new store. `INTERNAL_ERROR` if the store is damaged.
    func open(_ address: StoreAddress, epoch: Int64) async throws(ServerError) -> String {
      let key: [SQLValue] = [.text(address.container), .text(address.environment.rawValue)]
      return try await cluster.write(locking: [PostgresLockNumber.storesKey]) {
        (session) throws(ServerError) in
        let connection = session.connection
        let known = try connection.first(SchemaStatements.find, key) { $0.integer(0) }
        if let known {
          let store = name(of: known)
          let newest = states.layouts.store.newest
          if let state = try states.state(of: store, on: connection), state.layout > newest {
            throw PostgresFailure.tooOld(for: state.layout, newest: newest)
          }
          if let damage = try PostgresStoreFaults.reason(of: known, on: connection) {
            throw PostgresFailure.damaged(damage)
          }
          return store
        }
        try requireNodes(of: StoreTables.layout, on: connection)
        let number = try connection.insert(SchemaStatements.insert, key)
        let store = name(of: number)
        try connection.execute(
          SchemaStatements.addLayout, [.text(store), .integer(StoreTables.layout)])
        try connection.define("CREATE SCHEMA \"\(store)\";")
        try session.use(schema: store)
        try StoreTables.prepare(on: connection, makeEpoch: { epoch }, now: now)
        try connection.define(PostgresTables.sequence + PostgresTables.tuning)
        try session.use(schema: schema)
        try connection.queue(SchemaStatements.keepEpoch, key + [.integer(epoch)], expecting: nil)
        return store
      }
    }

    /// Removes a container's stores. Their tables are dropped later, by ``dropRemoved()``.
    ///
    /// NB: this transaction has the lock for the list of stores, for which each starting node
    /// waits. It renames the schemas, because a drop waits for all transactions that use the
    /// tables, and takes long for large tables. Statements of other nodes find no tables from then
    /// on.
    func remove(_ container: String) async throws(ServerError) {
      try await cluster.write(locking: [PostgresLockNumber.storesKey]) {
        (session) throws(ServerError) in
        let connection = session.connection
        let numbers = try connection.all(SchemaStatements.remove, [.text(container)]) {
          $0.integer(0)
        }
        for number in numbers {
          let store = name(of: number)
          try connection.execute(SchemaStatements.removeLayout, [.text(store)])
          try connection.execute(SchemaStatements.removeFill, [.text(store)])
          try PostgresStoreFaults.remove(number, on: connection)
          let hasSchema = try connection.first(SchemaStatements.hasSchema, [.text(store)]) {
            $0.integer(0) != 0
          }
          guard hasSchema == true else { continue }
          try connection.define(
            "ALTER SCHEMA \"\(store)\" RENAME TO \"\(store)\(Self.removed)\";")
        }
      }
    }

    /// The end of the names of schemas that belong to removed stores.
    static let removed = "_removed"
    /// The time for which a drop waits for the lock of a table, in milliseconds. Choice: only a
    /// dump or a statement that began before the removal still uses such tables, and the next
    /// attempt follows soon.
    private static let dropLockMillisecondsMax = 300

    /// Drops the tables of removed stores, each store in a transaction of its own. The lock for the
    /// list of stores stays free.
    ///
    /// - Throws: the first error. The tables of other stores are dropped nevertheless.
    func dropRemoved() async throws(ServerError) {
      let names = try await cluster.read { [schema] (session) throws(ServerError) in
        try session.connection.all(SchemaStatements.removed, [.text(schema)]) { $0.text(0) }
      }
      var failure: ServerError?
      for name in names {
        if Task.isCancelled { return }
        do throws(ServerError) {
          try await cluster.write { (session) throws(ServerError) in
            let lock = PostgresLockNumber.of(["drop", name])
            let isMine = try session.connection.first(SchemaStatements.lock, [.integer(lock)]) {
              $0.integer(0) != 0
            }
            // Otherwise another node drops the tables.
            guard isMine == true else { return }
            try session.connection.define(
              """
              SET LOCAL lock_timeout = '\(Self.dropLockMillisecondsMax)ms';
              DROP SCHEMA IF EXISTS "\(name)" CASCADE;
              """)
          }
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    }

    /// Returns the size of the tables and indexes of a store in bytes.
    func sizeBytes(of store: String) async throws(ServerError) -> Int64 {
      try await cluster.read { (session) throws(ServerError) in
        try session.connection.first(PostgresTables.size, [.text(store)]) { $0.integer(0) } ?? 0
      }
    }

    func name(of number: Int64) -> String { "\(schema)_\(number)" }

    /// - Throws: `TRY_AGAIN_LATER` if a running node does not know the layout of new stores.
    private func requireNodes(
      of layout: Int64, on connection: any SQLConnection
    ) throws(ServerError) {
      let earlier = try connection.first(SchemaStatements.earlierNodes, [.integer(layout)]) {
        $0.integer(0)
      }
      if earlier == 0 { return }
      throw ServerError(
        .tryAgainLater, Reason.storeLost,
        facts: ["fault": "nodes of an earlier version could not use the new store"],
        retryAfterSeconds: 5, hint: "finish the rolling upgrade")
    }
  }

  private enum SchemaStatements {
    /// NB: the table of the schemas is read like others, in the same snapshot. `to_regclass` would
    /// not find the schema of a store that another node removes at this moment.
    static let list = SQLStatement(
      """
      SELECT container, environment, store_schemas.number, COALESCE(layouts.layout, 0),
        COALESCE(
          store_faults.reason, CASE WHEN schemas.oid IS NULL THEN 'its schema is missing' END),
        store_faults.number
      FROM store_schemas
      LEFT JOIN pg_namespace AS schemas
        ON schemas.nspname = (?::TEXT || '_' || store_schemas.number)::NAME
      LEFT JOIN layouts ON layouts.schema = ?::TEXT || '_' || store_schemas.number
      LEFT JOIN store_faults ON store_faults.number = store_schemas.number
      """)
    static let noteMissing = SQLStatement(
      """
      INSERT INTO store_faults (number, reason)
      SELECT store_schemas.number, 'its schema is missing' FROM store_schemas
      LEFT JOIN pg_namespace AS schemas
        ON schemas.nspname = (?::TEXT || '_' || store_schemas.number)::NAME
      WHERE schemas.oid IS NULL
      ON CONFLICT (number) DO NOTHING
      """)
    static let earlierNodes = SQLStatement("SELECT COUNT(*) FROM nodes WHERE store_newest < ?")
    static let addLayout = SQLStatement(
      "INSERT INTO layouts (schema, layout, target, step) VALUES (?, ?, 0, 0)")
    static let removeLayout = SQLStatement("DELETE FROM layouts WHERE schema = ?")
    static let removeFill = SQLStatement("DELETE FROM fills WHERE schema = ?")
    static let find = SQLStatement(
      "SELECT number FROM store_schemas WHERE container = ? AND environment = ?")
    static let insert = SQLStatement(
      inserting: "INSERT INTO store_schemas (container, environment) VALUES (?, ?)",
      key: "number")
    static let remove = SQLStatement(
      "DELETE FROM store_schemas WHERE container = ? RETURNING number")
    static let hasSchema = SQLStatement("SELECT 1 FROM pg_namespace WHERE nspname = ?::TEXT")
    static let lock = SQLStatement("SELECT pg_try_advisory_xact_lock(?)")
    static let removed = SQLStatement(
      """
      SELECT nspname FROM pg_namespace
      WHERE nspname::TEXT ~ ('^' || ?::TEXT || '_[0-9]+\(PostgresStoreOpening.removed)$')
      ORDER BY nspname
      """)
    static let keepEpoch = SQLStatement(
      """
      INSERT INTO stores (container, environment, epoch) VALUES (?, ?, ?)
      ON CONFLICT (container, environment) DO UPDATE SET epoch = excluded.epoch
      """)
  }
#endif
