public import StratusDomain
import StratusWire

extension SQLRegistry {
  public func create(_ token: APIToken) async throws(ServerError) {
    let callback: SQLValue =
      switch token.callback {
      case .postMessage: .null
      case .redirect(let url): .text(url)
      }
    let values: [SQLValue] = [
      .bytes(token.hash), .text(token.id), .text(token.store.container),
      .text(token.store.environment.rawValue), .text(token.name),
      token.allowedOrigins.map { .text($0.sorted().joined(separator: " ")) } ?? .null,
      callback, token.createdAt.map { .integer($0) } ?? .null,
    ]
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(TokenStatements.insert, values)
    }
  }

  public func apiToken(hash: [UInt8]) async throws(ServerError) -> APIToken? {
    try await engine.read { (session) throws(ServerError) in
      let found = try session.connection.first(
        TokenStatements.find, [.bytes(hash)], TokenRow.init(row:))
      guard let found else { return nil }
      return try session.apiToken(found)
    }
  }

  public func apiTokens() async throws(ServerError) -> [APIToken] {
    try await engine.read { (session) throws(ServerError) in
      var tokens: [APIToken] = []
      for row in try session.connection.all(TokenStatements.list, [], TokenRow.init(row:)) {
        tokens.append(try session.apiToken(row))
      }
      return tokens
    }
  }

  public func deleteAPIToken(id: String) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.advanceVersion()
      return try session.connection.execute(TokenStatements.delete, [.text(id)]) == 1
    }
  }
}

extension RegistrySession {
  fileprivate func apiToken(_ row: TokenRow) throws(ServerError) -> APIToken {
    APIToken(
      id: row.id, hash: row.hash,
      store: try storeAddress(container: row.container, environment: row.environment),
      name: row.name,
      allowedOrigins: row.origins.map { Set($0.split(separator: " ").map(String.init)) },
      callback: row.callback.map { .redirect(url: $0) } ?? .postMessage,
      createdAt: row.createdAt)
  }
}

private struct TokenRow {
  let hash: [UInt8]
  let id: String
  let container: String
  let environment: String
  let name: String
  /// The origins, separated by spaces. No origin contains a space.
  let origins: String?
  let callback: String?
  let createdAt: Int64?

  init(row: any SQLRow) {
    hash = row.bytes(0)
    id = row.text(1)
    container = row.text(2)
    environment = row.text(3)
    name = row.text(4)
    origins = row.optionalText(5)
    callback = row.optionalText(6)
    createdAt = row.isNull(7) ? nil : row.integer(7)
  }
}

private enum TokenStatements {
  private static let columns =
    "hash, id, container, environment, name, origins, callback, created_at"
  static let insert = SQLStatement(
    """
    INSERT INTO api_tokens (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (hash) DO NOTHING
    """)
  static let find = SQLStatement("SELECT \(columns) FROM api_tokens WHERE hash = ?")
  static let list = SQLStatement(
    "SELECT \(columns) FROM api_tokens ORDER BY container, environment, id")
  static let delete = SQLStatement("DELETE FROM api_tokens WHERE id = ?")
}
