public import StratusDomain
public import StratusSQL

/// The server's registry file, `server.sqlite` in the data folder.
public typealias SQLiteRegistry = SQLRegistry<SQLiteFile<RegistrySession>>

extension SQLRegistry where Engine == SQLiteFile<RegistrySession> {
  /// Opens the registry file, and creates it if necessary.
  ///
  /// - Parameter upgrade: upgrades the file of an earlier version. If it is nil, such a file is
  ///   refused.
  /// - Throws: `TRY_AGAIN_LATER` if another program locks the file or the disk is full, otherwise
  ///   `INTERNAL_ERROR`.
  public init(
    folder: DataFolder, upgrade: RegistryTables.Upgrade? = nil
  ) throws(ServerError) {
    self.init(
      engine: try SQLiteFile(path: folder.registryPath) { (connection) throws(ServerError) in
        // Without this setting, rows that an upgrade or a revocation deletes could still be read in
        // unused pages.
        try connection.define("PRAGMA secure_delete = ON;")
        try RegistryTables.prepare(on: connection, upgrade: upgrade)
      })
  }

  /// The current problem of the file, or nil if none is known.
  public var problem: HealthProblem.Kind? { engine.problem }

  /// Frees the memory that was not used since the last call.
  ///
  /// - Returns: whether readers were closed.
  public func releaseMemory() -> Bool { engine.releaseMemory() }

  /// Finishes the waiting bodies, refuses new bodies, and closes the file.
  public func close() async { await engine.close() }
}
