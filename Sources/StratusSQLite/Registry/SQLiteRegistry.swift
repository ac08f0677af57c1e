public import StratusDomain
public import StratusSQL

/// The server's own file, `server.sqlite` in the data folder.
public typealias SQLiteRegistry = SQLRegistry<SQLiteFile<RegistrySession>>

extension SQLRegistry where Engine == SQLiteFile<RegistrySession> {
  /// Opens the file, and makes it where there is none.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public init(folder: DataFolder) throws(ServerError) {
    self.init(
      engine: try SQLiteFile(path: folder.registryPath) { (connection) throws(ServerError) in
        try RegistryTables.prepare(on: connection)
      })
  }

  /// Lets what has begun end, refuses the rest, and closes the file.
  public func close() async { await engine.close() }
}
