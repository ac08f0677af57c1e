#if Postgres
  public import StratusDomain
  import StratusSQL
  import StratusWire

  /// An installation in PostgreSQL, as the source or the target of a copy, and for the doctor.
  /// Nodes may use an installation that is only read. The methods block the thread.
  ///
  /// A target has a table `unfinished_copy` until the copy is complete. Nodes refuse such an
  /// installation, and the next copy removes it.
  public final class PostgresInstallation {
    /// The address without secrets, for the operator.
    public let shown: String
    let schema: String
    let connection: PostgresConnection
    private let now: @Sendable () -> Int64
    private let makeEpoch: @Sendable () -> Int64

    /// - Parameters:
    ///   - now: returns the time in milliseconds since 1970 UTC.
    ///   - makeEpoch: returns 64 random bits for a new history.
    /// - Throws: `TRY_AGAIN_LATER` if PostgreSQL cannot be reached.
    public init(
      _ settings: PostgresSettings, now: @escaping @Sendable () -> Int64,
      makeEpoch: @escaping @Sendable () -> Int64
    ) throws(ServerError) {
      shown = settings.url.shown
      schema = settings.schema
      self.now = now
      self.makeEpoch = makeEpoch
      do throws(PostgresFailure) {
        connection = try PostgresConnection(to: settings.url, name: "stratus copy")
      } catch {
        throw error.error
      }
      do throws(ServerError) {
        // NB: a copy reads whole tables, so sequential scans and hash joins are fast. While the
        // other engine works, this transaction may be idle for longer than that of a server may be.
        try connection.define(
          """
          SET enable_seqscan = on;
          SET enable_hashjoin = on;
          SET idle_in_transaction_session_timeout = 0;
          """)
      } catch {
        connection.close()
        throw error
      }
    }

    /// Closes the connection. PostgreSQL undoes an unfinished transaction.
    public func close() { connection.close() }

    /// Begins to read the present state.
    ///
    /// - Parameter besideNodes: whether nodes may run meanwhile. Their later writes are not read.
    /// - Returns: the stores.
    /// - Throws: `INTERNAL_ERROR` if there is no complete installation, or if a node runs and
    ///   `besideNodes` is false.
    public func beginReading(
      besideNodes: Bool = false
    ) throws(ServerError) -> [StoreAddress] {
      try connection.beginRead(in: schema)
      if try !hasTable("registry") {
        throw .fault("the database does not contain the data of Stratus")
      }
      try Self.refuseUnfinished(schema, on: connection)
      if !besideNodes,
        try connection.first(InstallationStatements.nodes, [], { $0.integer(0) }) ?? 0 > 0
      {
        var error = ServerError.fault("nodes use the database")
        error.hint = "stop all nodes; a node that was killed counts as stopped after 30 seconds"
        throw error
      }
      return try stores().map(\.address).sorted {
        ($0.container, $0.environment.rawValue) < ($1.container, $1.environment.rawValue)
      }
    }

    /// Returns the tables of the registry. They belong to the present transaction.
    ///
    /// - Throws: `INTERNAL_ERROR` if an upgrade of the registry is not complete.
    public func registry() throws(ServerError) -> PostgresTableSet {
      try refuseUpgrade(of: schema)
      try connection.use(schema: schema)
      return PostgresTableSet(schema: schema, on: connection)
    }

    /// Returns the tables of a store. They belong to the present transaction.
    ///
    /// - Throws: `INTERNAL_ERROR` if the database does not contain the store, if the store is
    ///   damaged, or if an upgrade of the store is not complete.
    public func store(at address: StoreAddress) throws(ServerError) -> PostgresTableSet {
      try refuseDamage(of: address)
      let tables = try tables(ofStore: address)
      try refuseUpgrade(of: tables.schema)
      return tables
    }

    /// Returns the tables of a store for reading. During an upgrade they have more columns, and
    /// some of these have no values yet.
    func tables(ofStore address: StoreAddress) throws(ServerError) -> PostgresTableSet {
      try connection.use(schema: schema)
      guard let number = try stores().first(where: { $0.address == address })?.number else {
        throw .fault("the database does not contain a store", facts: ["store": "\(address)"])
      }
      try connection.use(schema: "\(schema)_\(number)")
      return PostgresTableSet(schema: "\(schema)_\(number)", on: connection)
    }

    /// Ends the present reading.
    public func endReading() { connection.rollback() }

    /// Makes change tokens expire, because a copy continues their history. If the copy has all
    /// containers, it also keeps the ID of the installation, which is removed here.
    ///
    /// - Parameter containers: the containers of the tokens, or nil for all tokens.
    public func renewEpochs(ofContainers containers: Set<String>?) throws(ServerError) {
      let timelines = PostgresTimelines(
        schema: schema, makeEpoch: makeEpoch, now: now, report: { _ in })
      try timelines.renewAllEpochs(ofContainers: containers, on: connection)
    }
  }

  // The target of a copy.
  extension PostgresInstallation {
    /// Removes an unfinished copy, and begins a new one.
    ///
    /// - Throws: `INTERNAL_ERROR` if the database contains an installation that is not an
    ///   unfinished copy.
    public func beginCopy() throws(ServerError) {
      try writing(in: "pg_catalog") { () throws(ServerError) in
        if try hasTable("unfinished_copy") {
          try connection.define(PostgresTestSchema.removal(of: schema))
        } else if try hasSchema() {
          var error = ServerError.fault("the database contains the data of Stratus already")
          error.hint =
            "a copy cannot be added to an installation that exists; choose another database, or "
            + "remove the schemas that begin with \(schema)"
          throw error
        }
        try connection.define(
          """
          CREATE SCHEMA "\(schema)";
          CREATE TABLE "\(schema)".unfinished_copy (begun_at BIGINT NOT NULL);
          """)
        try connection.use(schema: schema)
        try connection.define(PostgresTables.cluster)
        try RegistryTables.prepare(on: connection, upgrade: nil)
      }
    }

    /// Creates a store, and calls `body` with its tables in the same transaction.
    public func makeStore(
      at address: StoreAddress, _ body: (PostgresTableSet) throws(ServerError) -> Void
    ) throws(ServerError) {
      try writing(in: schema) { () throws(ServerError) in
        let number = try connection.insert(
          InstallationStatements.addStore,
          [.text(address.container), .text(address.environment.rawValue)])
        let store = "\(schema)_\(number)"
        try connection.define("CREATE SCHEMA \"\(store)\";")
        try connection.use(schema: store)
        try StoreTables.prepare(on: connection, makeEpoch: { 0 }, now: now)
        try connection.define(PostgresTables.sequence + PostgresTables.tuning)
        try body(PostgresTableSet(schema: store, on: connection))
        // NB: without statistics, the first requests would use the plans of empty tables.
        try connection.define("ANALYZE databases, zones, listings, records, entries, links;")
      }
    }

    /// Calls `body` with the tables of the registry, in a transaction that is undone if the body
    /// throws.
    public func fillRegistry(
      _ body: (PostgresTableSet) throws(ServerError) -> Void
    ) throws(ServerError) {
      try writing(in: schema) { () throws(ServerError) in
        try body(PostgresTableSet(schema: schema, on: connection))
      }
    }

    /// Lets nodes use the installation.
    public func finishCopy() throws(ServerError) {
      try writing(in: schema) { () throws(ServerError) in
        try connection.define("DROP TABLE unfinished_copy;")
      }
    }

    /// - Throws: `INTERNAL_ERROR` if a copy to this schema is not complete.
    static func refuseUnfinished(
      _ schema: String, on connection: PostgresConnection
    ) throws(ServerError) {
      let isFound = try connection.first(
        SQLStatement("SELECT to_regclass('\"\(schema)\".unfinished_copy') IS NOT NULL"), []
      ) { $0.integer(0) != 0 }
      guard isFound == true else { return }
      var error = ServerError.fault("a copy to this database is not complete")
      error.hint = "run 'stratus copy' or 'stratus restore' again"
      throw error
    }

    private func writing(
      in schema: String, _ body: () throws(ServerError) -> Void
    ) throws(ServerError) {
      try connection.beginWrite(in: schema, locks: [])
      do throws(ServerError) { try body() } catch {
        connection.rollback()
        throw error
      }
      try connection.commit().require()
    }

    func stores() throws(ServerError) -> [(address: StoreAddress, number: Int64)] {
      var stores: [(address: StoreAddress, number: Int64)] = []
      try connection.run(InstallationStatements.stores, []) { (row) throws(ServerError) in
        guard let environment = ContainerEnvironment(rawValue: row.text(1)) else {
          throw .fault("a store has an unknown environment")
        }
        stores.append(
          (StoreAddress(container: row.text(0), environment: environment), row.integer(2)))
        return true
      }
      return stores
    }

    /// NB: after a repair, the tables may come from a backup. The copy would continue an earlier
    /// history until a node has begun a new one.
    ///
    /// - Throws: `INTERNAL_ERROR` if the nodes refuse a store.
    private func refuseDamage(of address: StoreAddress) throws(ServerError) {
      try connection.use(schema: schema)
      // An earlier version has not created the table.
      guard try hasTable("store_faults"),
        let number = try stores().first(where: { $0.address == address })?.number,
        let reason = try PostgresStoreFaults.reason(of: number, on: connection)
      else { return }
      var error = PostgresFailure.damaged(reason)
      error.hint = "restore the tables of the store from a backup, and start a node"
      throw error
    }

    /// - Throws: `INTERNAL_ERROR` if an online upgrade of the schema's tables is not complete.
    private func refuseUpgrade(of tables: String) throws(ServerError) {
      // An earlier version has not created the table.
      guard try hasTable("layouts") else { return }
      let target = try connection.first(
        SQLStatement("SELECT target FROM \"\(schema)\".layouts WHERE schema = ?"), [.text(tables)]
      ) { $0.integer(0) }
      guard let target, target != 0 else { return }
      var error = ServerError.fault(
        "an upgrade of the tables is not complete", facts: ["schema": tables])
      error.hint = "wait until all nodes run the new version and have upgraded all stores"
      throw error
    }

    func hasTable(_ name: String) throws(ServerError) -> Bool {
      try connection.first(
        SQLStatement("SELECT to_regclass('\"\(schema)\".\(name)') IS NOT NULL"), []
      ) { $0.integer(0) != 0 } ?? false
    }

    private func hasSchema() throws(ServerError) -> Bool {
      try connection.first(
        SQLStatement("SELECT COUNT(*) FROM pg_namespace WHERE nspname = '\(schema)'"), []
      ) { $0.integer(0) != 0 } ?? false
    }
  }

  private enum InstallationStatements {
    static let stores = SQLStatement("SELECT container, environment, number FROM store_schemas")
    static let addStore = SQLStatement(
      inserting: "INSERT INTO store_schemas (container, environment) VALUES (?, ?)",
      key: "number")
    static let nodes = SQLStatement(
      "SELECT COUNT(*) FROM nodes WHERE seen_at > \(PostgresTables.now) - 30000")
  }
#endif
