public import StratusDomain

/// The registry of the server's accounts, tokens and stores in an SQL engine.
public struct SQLRegistry<Engine: SQLEngine>: Registry where Engine.Session == RegistrySession {
  public let engine: Engine

  /// - Parameter engine: an engine whose tables ``RegistryTables`` has prepared.
  public init(engine: Engine) { self.engine = engine }

  public func version() async throws(ServerError) -> Int64 {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(VersionStatements.read, []) { $0.integer(0) } ?? 0
    }
  }

  public func advanceVersion() async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in try session.advanceVersion() }
  }

  /// Returns the secrets that an earlier version stored in the registry, by name.
  ///
  /// - Throws: the same errors as ``Store/read(_:)``.
  public func earlierSecrets() async throws(ServerError) -> [String: [UInt8]] {
    try await engine.read { (session) throws(ServerError) in
      let rows = try session.connection.all(SecretStatements.list, []) {
        ($0.text(0), $0.bytes(1))
      }
      return Dictionary(rows) { first, _ in first }
    }
  }

  /// Removes the secrets of an earlier version. Call this method after the secrets are in the key
  /// file.
  ///
  /// - Throws: the same errors as ``Store/write(_:)``.
  public func forgetEarlierSecrets() async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(SecretStatements.delete, [])
    }
  }
}

extension RegistrySession {
  /// Makes every process read its cached registry data again.
  func advanceVersion() throws(ServerError) {
    try connection.queue(VersionStatements.advance, [])
  }
}

private enum VersionStatements {
  static let read = SQLStatement("SELECT version FROM registry")
  static let advance = SQLStatement("UPDATE registry SET version = version + 1")
}

private enum SecretStatements {
  static let list = SQLStatement("SELECT name, value FROM secrets")
  static let delete = SQLStatement("DELETE FROM secrets")
}
