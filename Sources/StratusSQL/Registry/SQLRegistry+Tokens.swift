public import StratusDomain
import StratusWire

extension SQLRegistry {
  public func create(_ token: APIToken) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(token.token), .text(token.store.container),
      .text(token.store.environment.rawValue),
    ]
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(TokenStatements.insertToken, values)
    }
  }

  public func apiToken(_ token: String) async throws(ServerError) -> APIToken? {
    try await engine.read { (session) throws(ServerError) in
      let found = try session.connection.first(TokenStatements.findToken, [.text(token)]) {
        ($0.text(0), $0.text(1))
      }
      guard let (container, environment) = found else { return nil }
      return APIToken(
        token: token,
        store: try session.storeAddress(container: container, environment: environment))
    }
  }

  /// NB: a plain insert. An id that exists is an error, never someone else's session replaced.
  public func create(_ session: Session) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(session.id), .text(session.accountID), .text(session.store.container),
      .text(session.store.environment.rawValue),
    ]
    try await engine.write { (registry) throws(ServerError) in
      _ = try registry.connection.execute(TokenStatements.insertSession, values)
    }
  }

  public func session(id: String) async throws(ServerError) -> Session? {
    try await engine.read { (registry) throws(ServerError) in
      let found = try registry.connection.first(TokenStatements.findSession, [.text(id)]) {
        ($0.text(0), $0.text(1), $0.text(2))
      }
      guard let (account, container, environment) = found else { return nil }
      return Session(
        id: id, accountID: account,
        store: try registry.storeAddress(container: container, environment: environment))
    }
  }
}

private enum TokenStatements {
  static let insertToken = SQLStatement(
    """
    INSERT INTO api_tokens (token, container, environment) VALUES (?, ?, ?)
    ON CONFLICT (token) DO NOTHING
    """)
  static let findToken = SQLStatement(
    "SELECT container, environment FROM api_tokens WHERE token = ?")
  static let insertSession = SQLStatement(
    "INSERT INTO sessions (id, account, container, environment) VALUES (?, ?, ?, ?)")
  static let findSession = SQLStatement(
    "SELECT account, container, environment FROM sessions WHERE id = ?")
}
