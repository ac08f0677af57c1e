#if Postgres
  import StratusDomain
  import StratusSQL

  extension PostgresCluster {
    /// Creates the tables of the installation in one transaction, unless they exist. Then upgrades
    /// the tables that this version could not use otherwise.
    static func prepare(
      _ connection: PostgresConnection, settings: PostgresSettings,
      _ offline: PostgresOfflineUpgrade
    ) throws(ServerError) {
      let schema = settings.schema
      let lock = PostgresLockNumber.of(["tables", schema])
      try connection.beginWrite(in: "pg_catalog", locks: [lock])
      do throws(ServerError) {
        try PostgresInstallation.refuseUnfinished(schema, on: connection)
        try connection.define("CREATE SCHEMA IF NOT EXISTS \"\(schema)\";")
        try connection.use(schema: schema)
        try connection.define(PostgresTables.cluster)
        try addLayoutsOfNodes(on: connection)
        let hasRegistry = try connection.first(
          SQLStatement("SELECT to_regclass('\"\(schema)\".registry') IS NOT NULL"), []
        ) { $0.integer(0) != 0 }
        if hasRegistry != true { try RegistryTables.prepare(on: connection, upgrade: nil) }
        try offline.noteRegistry(on: connection)
      } catch {
        connection.rollback()
        throw error
      }
      try connection.commit().require()
      try offline.run(on: connection)
    }

    /// - Throws: `INTERNAL_ERROR` if nodes run whose version does not write its layouts.
    private static func addLayoutsOfNodes(
      on connection: PostgresConnection
    ) throws(ServerError) {
      let isDone = try connection.first(PostgresTables.hasLayoutsOfNodes, []) { _ in true }
      if isDone == true { return }
      if try PostgresOfflineUpgrade.hasRunningNodes(on: connection) {
        throw PostgresOfflineUpgrade.nodesRun
      }
      try connection.define(PostgresTables.addLayoutsOfNodes)
    }
  }
#endif
