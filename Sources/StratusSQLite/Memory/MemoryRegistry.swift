public import StratusDomain
public import StratusSQL

/// The server's registry, kept in memory.
public typealias MemoryRegistry = SQLRegistry<MemoryFile<RegistrySession>>

extension SQLRegistry where Engine == MemoryFile<RegistrySession> {
  /// Creates an empty registry.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public init() throws(ServerError) {
    self.init(engine: MemoryFile(connection: try MemoryTemplate.registry.connection()))
  }

  /// Refuses all later calls, and frees the memory.
  public func close() { engine.close() }
}

extension MemoryTemplate {
  fileprivate static let registry = MemoryTemplate { (connection) throws(ServerError) in
    try RegistryTables.prepare(on: connection, upgrade: nil)
  }
}
