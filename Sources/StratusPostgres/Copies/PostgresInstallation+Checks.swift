#if Postgres
  public import StratusDomain
  public import StratusSQL

  /// Reads the state of an installation for the doctor. Each method reads in a transaction of its
  /// own, because an error ends a transaction.
  extension PostgresInstallation {
    /// The state of the cluster and of the tables that belong to the whole installation.
    public struct ClusterState: Sendable, Hashable {
      /// The version of the server as PostgreSQL counts it, such as 150018 for 15.18.
      public var serverVersion: Int64
      /// The time of the database's clock, in milliseconds since 1970 UTC.
      public var clock: Int64
      /// The number of connected standbys.
      public var standbysCount: Int64
      /// Whether commits wait for a standby.
      public var isSynchronous: Bool
      /// The number of the present timeline.
      public var timeline: Int64
      /// Whether a node was connected to the present timeline.
      public var isTimelineKnown: Bool
      /// Whether a node was connected to a later timeline of the same cluster.
      public var hasLaterTimeline: Bool
      /// The nodes with a heartbeat in the last 30 seconds.
      public var nodes: [PostgresNode]
      /// The nodes without such a heartbeat. They ended without removing their rows, and no other
      /// node has removed the rows yet.
      public var silentNodes: [PostgresNode]
      /// The layout of the registry, or nil if the registry has none.
      public var registryLayout: Int64?
      /// The addresses of all stores that have a schema.
      public var stores: [StoreAddress]
    }

    /// The state of one store, without its contents.
    public struct StoreState: Sendable, Hashable {
      public var schema: String
      /// The layout, or nil if the schema or its tables are missing.
      public var layout: Int64?
      public var epoch: Int64?
      /// The size of all tables and indexes.
      public var sizeBytes: Int64 = 0
      /// The statements that set the missing values of `n_distinct`.
      public var missingSettings: [String] = []
      /// The large tables without statistics.
      public var tablesWithoutStatistics: [String] = []
      /// The indexes that PostgreSQL does not use, because they were not built completely.
      public var invalidIndexes: [String] = []
    }

    /// Returns the state of the cluster.
    ///
    /// - Throws: `INTERNAL_ERROR` if there is no complete installation.
    public func clusterState() throws(ServerError) -> ClusterState {
      try reading { (stores) throws(ServerError) -> ClusterState in
        let timeline = try PostgresTimelines.read(on: connection)
        let read = try connection.first(CheckStatements.cluster, []) { row in
          (version: row.integer(0), clock: row.integer(1), standbys: row.integer(2))
        }
        guard let read else { throw .fault("PostgreSQL did not tell its state") }
        let known = try connection.all(CheckStatements.timelines, [.text(timeline.cluster)]) {
          $0.integer(0)
        }
        let nodes = try PostgresHeartbeat.nodes(on: connection)
        let oldest = read.clock - PostgresHeartbeat.silenceMilliseconds
        return ClusterState(
          serverVersion: read.version, clock: read.clock, standbysCount: read.standbys,
          isSynchronous: timeline.isSynchronous, timeline: timeline.number,
          isTimelineKnown: known.contains(timeline.number),
          hasLaterTimeline: known.contains { $0 > timeline.number },
          nodes: nodes.filter { $0.seenAt > oldest },
          silentNodes: nodes.filter { $0.seenAt <= oldest },
          registryLayout: try RegistryTables.foundLayout(on: connection), stores: stores)
      }
    }

    /// Returns the stores that the registry knows, with their epochs.
    ///
    /// - Throws: `INTERNAL_ERROR`, for example if the registry has an earlier layout.
    public func knownStores() throws(ServerError) -> [StoreAddress: Int64] {
      try reading { (_) throws(ServerError) -> [StoreAddress: Int64] in
        try RegistryTables.stores(on: connection)
      }
    }

    /// Returns the ID of the installation, or nil if no node has given it one yet.
    ///
    /// - Throws: `INTERNAL_ERROR` if there is no complete installation.
    public func installationID() throws(ServerError) -> String? {
      try reading { (_) throws(ServerError) -> String? in
        try RegistryTables.installationID(on: connection)
      }
    }

    /// Returns the unfinished online upgrades.
    ///
    /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` if PostgreSQL cannot be reached.
    public func unfinishedUpgrades() throws(ServerError) -> PostgresUpgradeList {
      try reading { (_) throws(ServerError) -> PostgresUpgradeList in
        // An earlier version has not created the tables.
        guard try hasTable("layouts"), try hasTable("fills") else { return PostgresUpgradeList() }
        return try LayoutStates(installation: schema, layouts: .present)
          .unfinished(on: connection)
      }
    }

    /// Returns the stores that the nodes refuse because the tables are damaged, and the reasons.
    ///
    /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` if PostgreSQL cannot be reached.
    public func damagedStores() throws(ServerError) -> [StoreAddress: String] {
      try reading { (_) throws(ServerError) -> [StoreAddress: String] in
        // An earlier version has not created the table.
        guard try hasTable("store_faults") else { return [:] }
        var damages: [StoreAddress: String] = [:]
        for store in try stores() {
          damages[store.address] = try PostgresStoreFaults.reason(
            of: store.number, on: connection)
        }
        return damages
      }
    }

    /// Returns the state of a store, or nil if the database does not contain the store.
    ///
    /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` if a node removes the store.
    public func state(ofStore address: StoreAddress) throws(ServerError) -> StoreState? {
      try reading { (_) throws(ServerError) -> StoreState? in
        guard let number = try stores().first(where: { $0.address == address })?.number else {
          return nil
        }
        let store = "\(schema)_\(number)"
        var state = StoreState(schema: store)
        let name: [SQLValue] = [.text(store)]
        guard try connection.first(CheckStatements.hasStore, name, { _ in true }) == true else {
          return state
        }
        state.sizeBytes = try connection.first(PostgresTables.size, name) { $0.integer(0) } ?? 0
        state.missingSettings = try missingSettings(of: store)
        state.tablesWithoutStatistics = try connection.all(CheckStatements.unread, name) {
          $0.text(0)
        }
        state.invalidIndexes = try connection.all(CheckStatements.invalidIndexes, name) {
          $0.text(0)
        }
        try connection.use(schema: store)
        state.layout = try StoreTables.foundLayout(on: connection)
        state.epoch = try StoreTables.identity(on: connection)
        return state
      }
    }

    /// Counts the rows of a store that contradict each other, and the unfinished work. Reads the
    /// whole store.
    ///
    /// - Throws: `INTERNAL_ERROR`, for example if the store has an earlier layout.
    public func check(ofStore address: StoreAddress) throws(ServerError) -> StoreCheck {
      try reading { (_) throws(ServerError) -> StoreCheck in
        try StoreTables.check(on: try tables(ofStore: address).connection)
      }
    }

    /// Calls `body` with the name, the size in bytes and the checksum of each asset file that a
    /// store lists. Only one row at a time is in memory.
    ///
    /// - Throws: `INTERNAL_ERROR`, and any error of `body`.
    public func eachAssetFile(
      ofStore address: StoreAddress,
      _ body: (_ file: String, _ size: Int64, _ checksum: [UInt8]) throws(ServerError) -> Void
    ) throws(ServerError) {
      try reading { (_) throws(ServerError) -> Void in
        _ = try tables(ofStore: address)
        try connection.copyOut(
          "SELECT file, size, checksum FROM assets",
          columns: [
            CopiedTable.Column(name: "file", kind: .text),
            CopiedTable.Column(name: "size", kind: .integer),
            CopiedTable.Column(name: "checksum", kind: .bytes),
          ]
        ) { (values) throws(ServerError) in
          guard case .text(let file) = values[0], case .integer(let size) = values[1],
            case .bytes(let checksum) = values[2]
          else { throw .fault("a row of an asset lacks a value") }
          try body(file, size, checksum)
        }
      }
    }

    /// Returns the counts of the production radar. It counts the requests that production refused
    /// because it lacks a record type, field or index.
    ///
    /// - Throws: `INTERNAL_ERROR`, for example if the store has an earlier layout.
    public func lackCounts(ofStore address: StoreAddress) throws(ServerError) -> [LackCount] {
      try reading { (_) throws(ServerError) -> [LackCount] in
        try StoreTables.lackCounts(on: try tables(ofStore: address).connection)
      }
    }

    /// Returns the size of a store's tables and indexes in bytes, or 0 if the store was removed.
    ///
    /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` if PostgreSQL cannot be reached.
    public func sizeBytes(ofStore address: StoreAddress) throws(ServerError) -> Int64 {
      try reading { (_) throws(ServerError) -> Int64 in
        guard let number = try stores().first(where: { $0.address == address })?.number else {
          return 0
        }
        let name = SQLValue.text("\(schema)_\(number)")
        return try connection.first(PostgresTables.size, [name]) { $0.integer(0) } ?? 0
      }
    }

    /// Calls `body` with all stores, in a transaction that reads the present state. Nodes may use
    /// the installation.
    ///
    /// - Throws: `INTERNAL_ERROR` if there is no complete installation, and any error of `body`.
    public func reading<Value>(
      _ body: (_ stores: [StoreAddress]) throws(ServerError) -> Value
    ) throws(ServerError) -> Value {
      defer { endReading() }
      return try body(try beginReading(besideNodes: true))
    }

    /// Returns the statements that set the values of `n_distinct` that a store lacks.
    private func missingSettings(of store: String) throws(ServerError) -> [String] {
      let found = try connection.all(CheckStatements.settings, [.text(store)]) {
        "\($0.text(0)).\($0.text(1))"
      }
      let known = Set(found)
      return PostgresTables.keyed.flatMap { keyed in
        keyed.columns.filter { !known.contains("\(keyed.table).\($0)") }.map { column in
          """
          ALTER TABLE "\(store)".\(keyed.table) ALTER COLUMN \(column) SET (n_distinct = 20)
          """
        }
      }
    }
  }

  private enum CheckStatements {
    static let cluster = SQLStatement(
      """
      SELECT current_setting('server_version_num')::BIGINT, \(PostgresTables.now),
        (SELECT COUNT(*) FROM pg_stat_replication)
      """)
    static let timelines = SQLStatement("SELECT timeline FROM timelines WHERE cluster = ?")
    static let hasStore = SQLStatement(
      """
      SELECT 1 FROM pg_class JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
      WHERE nspname = ?::TEXT AND relkind = 'r' AND relname = 'store'
      """)
    static let settings = SQLStatement(
      """
      SELECT relname, attname FROM pg_attribute
      JOIN pg_class AS tables ON tables.oid = attrelid
      JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
      WHERE nspname = ?::TEXT AND relkind = 'r'
        AND array_to_string(attoptions, ' ') LIKE '%n_distinct=%'
      """)
    /// NB: autovacuum reads a table that grows within about a minute. `reltuples` is negative until
    /// then. The size bound leaves out tables with few rows, whose plans do not matter.
    static let unread = SQLStatement(
      """
      SELECT relname FROM pg_class AS tables
      JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
      WHERE nspname = ?::TEXT AND relkind = 'r' AND reltuples < 0
        AND pg_relation_size(tables.oid) > 8388608
      ORDER BY relname
      """)
    static let invalidIndexes = SQLStatement(
      """
      SELECT relname FROM pg_index
      JOIN pg_class AS indexes ON indexes.oid = indexrelid
      JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
      WHERE nspname = ?::TEXT AND NOT (indisvalid AND indisready)
      ORDER BY relname
      """)
  }
#endif
