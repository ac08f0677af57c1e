#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire

  /// Creates, opens and removes the schemas of stores.
  struct PostgresStoreOpening: Sendable {
    /// The schema of the installation.
    let schema: String
    let pools: PostgresPools
    let now: @Sendable () -> Int64

    private var cluster: PostgresEngine<PostgresSession> {
      PostgresEngine(schema: schema, pools: pools)
    }

    /// Returns the schema of each store.
    func list() async throws(ServerError) -> [StoreAddress: String] {
      let rows = try await cluster.read { (session) throws(ServerError) in
        var rows: [(container: String, environment: String, number: Int64)] = []
        try session.connection.run(SchemaStatements.list, []) { (row) throws(ServerError) in
          rows.append((row.text(0), row.text(1), row.integer(2)))
          return true
        }
        return rows
      }
      var schemas: [StoreAddress: String] = [:]
      for row in rows {
        // A later version may know further environments.
        guard let environment = ContainerEnvironment(rawValue: row.environment) else { continue }
        schemas[StoreAddress(container: row.container, environment: environment)] =
          name(of: row.number)
      }
      return schemas
    }

    /// Returns the schema of a store, and creates it if it does not exist.
    ///
    /// - Parameter epoch: the epoch of a new store.
    /// - Throws: `INTERNAL_ERROR` if this version can neither use nor upgrade the store's layout.
    func open(_ address: StoreAddress, epoch: Int64) async throws(ServerError) -> String {
      let key: [SQLValue] = [.text(address.container), .text(address.environment.rawValue)]
      return try await cluster.write(locking: ["stores"]) { (session) throws(ServerError) in
        let connection = session.connection
        let known = try connection.first(SchemaStatements.find, key) { $0.integer(0) }
        if let known {
          let store = name(of: known)
          try session.use(schema: store)
          try upgrade(on: connection)
          return store
        }
        let number = try connection.insert(SchemaStatements.insert, key)
        let store = name(of: number)
        try connection.define("CREATE SCHEMA \"\(store)\";")
        try session.use(schema: store)
        try StoreTables.prepare(on: connection, makeEpoch: { epoch }, now: now)
        try connection.define(PostgresTables.sequence + PostgresTables.tuning)
        try session.use(schema: schema)
        try connection.queue(SchemaStatements.keepEpoch, key + [.integer(epoch)], expecting: nil)
        return store
      }
    }

    /// Removes a container's stores with all their data.
    func remove(_ container: String) async throws(ServerError) {
      try await cluster.write(locking: ["stores"]) { (session) throws(ServerError) in
        var stores: [String] = []
        try session.connection.run(SchemaStatements.remove, [.text(container)]) {
          (row) throws(ServerError) in
          stores.append(name(of: row.integer(0)))
          return true
        }
        for store in stores {
          try session.connection.define("DROP SCHEMA IF EXISTS \"\(store)\" CASCADE;")
        }
      }
    }

    /// Returns the size of the tables and indexes of a store in bytes.
    func sizeBytes(of store: String) async throws(ServerError) -> Int64 {
      try await cluster.read { (session) throws(ServerError) in
        try session.connection.first(PostgresTables.size, [.text(store)]) { $0.integer(0) } ?? 0
      }
    }

    func name(of number: Int64) -> String { "\(schema)_\(number)" }

    /// The layout of the first stores in PostgreSQL.
    private static let firstLayout: Int64 = 8

    /// Upgrades a store of an earlier layout. The upgrade runs in the transaction that opens the
    /// store.
    ///
    /// NB: nodes of an earlier version must not run at the same time, because they would not count
    /// the bytes of their saves.
    private func upgrade(on connection: any SQLConnection) throws(ServerError) {
      let found = try StoreTables.foundLayout(on: connection)
      guard let found, (Self.firstLayout...StoreTables.layout).contains(found) else {
        throw .fault(
          "a store in PostgreSQL has another layout",
          facts: ["layout": found.map { "\($0)" } ?? "none", "known": "\(StoreTables.layout)"])
      }
      if found == StoreTables.layout { return }
      try StoreTables.prepare(on: connection, makeEpoch: { 0 }, now: now)
      try connection.define(PostgresTables.tuning)
    }
  }

  private enum SchemaStatements {
    static let list = SQLStatement("SELECT container, environment, number FROM store_schemas")
    static let find = SQLStatement(
      "SELECT number FROM store_schemas WHERE container = ? AND environment = ?")
    static let insert = SQLStatement(
      inserting: "INSERT INTO store_schemas (container, environment) VALUES (?, ?)",
      key: "number")
    static let remove = SQLStatement(
      "DELETE FROM store_schemas WHERE container = ? RETURNING number")
    static let keepEpoch = SQLStatement(
      """
      INSERT INTO stores (container, environment, epoch) VALUES (?, ?, ?)
      ON CONFLICT (container, environment) DO UPDATE SET epoch = excluded.epoch
      """)
  }
#endif
