public import StratusDomain
public import StratusSQL

/// The server's own file, `server.sqlite` in the data folder.
public typealias SQLiteRegistry = SQLRegistry<SQLiteFile<RegistrySession>>

extension SQLRegistry where Engine == SQLiteFile<RegistrySession> {
  /// Opens the file, and makes it where there is none.
  ///
  /// - Parameter upgrade: for the file of an earlier program; nil: such a file is refused.
  /// - Throws: `INTERNAL_ERROR`.
  public init(
    folder: DataFolder, upgrade: RegistryTables.Upgrade? = nil
  ) throws(ServerError) {
    self.init(
      engine: try SQLiteFile(path: folder.registryPath) { (connection) throws(ServerError) in
        // Rows that an upgrade or a revocation removes must not stay readable in unused pages.
        try connection.define("PRAGMA secure_delete = ON;")
        try RegistryTables.prepare(on: connection, upgrade: upgrade)
      })
  }

  /// What is wrong with the file now; nil: nothing is known to be.
  public var problem: HealthProblem.Kind? { engine.problem }

  /// Lets what has begun end, refuses the rest, and closes the file.
  public func close() async { await engine.close() }
}
