public import StratusDomain

/// What the server as a whole knows, in an SQL engine.
public struct SQLRegistry<Engine: SQLEngine>: Registry where Engine.Session == RegistrySession {
  public let engine: Engine

  /// - Parameter engine: one whose tables ``RegistryTables`` has prepared.
  public init(engine: Engine) { self.engine = engine }

  public func secret(
    named name: String, orKeep fresh: [UInt8]
  ) async throws(ServerError) -> [UInt8] {
    let kept = try await engine.read { (session) throws(ServerError) in
      try session.secret(named: name)
    }
    if let kept { return kept }
    return try await engine.write { (session) throws(ServerError) in
      _ = try session.insert(SecretStatements.insert, [.text(name), .bytes(fresh)])
      guard let kept = try session.secret(named: name) else {
        throw .fault("a secret that was just kept is missing")
      }
      return kept
    }
  }
}

extension RegistrySession {
  fileprivate func secret(named name: String) throws(ServerError) -> [UInt8]? {
    try connection.first(SecretStatements.find, [.text(name)]) { $0.bytes(0) }
  }
}

private enum SecretStatements {
  static let find = SQLStatement("SELECT value FROM secrets WHERE name = ?")
  static let insert = SQLStatement(
    "INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING")
}
