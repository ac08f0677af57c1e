public import StratusDomain
import StratusWire

extension SQLRegistry {
  /// NB: a plain insert. An existing ID is an error and never replaces another user's session.
  public func create(_ session: Session, countMax: Int) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(session.id), .text(session.accountID), .text(session.store.container),
      .text(session.store.environment.rawValue), .integer(session.createdAt),
      .integer(session.lastUsedAt), .integer(session.endsAt),
    ]
    let place: [SQLValue] = [
      .text(session.accountID), .text(session.store.container),
      .text(session.store.environment.rawValue),
    ]
    let surplus = place + place + [.integer(Int64(countMax - 1))]
    try await engine.write { (registry) throws(ServerError) in
      if try registry.connection.execute(SessionStatements.deleteSurplus, surplus) > 0 {
        try registry.advanceVersion()
      }
      _ = try registry.connection.execute(SessionStatements.insert, values)
    }
  }

  public func session(id: String) async throws(ServerError) -> Session? {
    try await engine.read { (registry) throws(ServerError) in
      let found = try registry.connection.first(
        SessionStatements.find, [.text(id)], SessionRow.init(row:))
      guard let found else { return nil }
      return try registry.session(found)
    }
  }

  public func sessions() async throws(ServerError) -> [Session] {
    try await engine.read { (registry) throws(ServerError) in
      var sessions: [Session] = []
      for row in try registry.connection.all(SessionStatements.list, [], SessionRow.init(row:)) {
        sessions.append(try registry.session(row))
      }
      return sessions
    }
  }

  public func sessions(ofAccount accountID: String) async throws(ServerError) -> [Session] {
    try await engine.read { (registry) throws(ServerError) in
      let rows = try registry.connection.all(
        SessionStatements.listOfAccount, [.text(accountID)], SessionRow.init(row:))
      var sessions: [Session] = []
      for row in rows { sessions.append(try registry.session(row)) }
      return sessions
    }
  }

  public func touchSession(id: String, at time: Int64) async throws(ServerError) {
    try await engine.write { (registry) throws(ServerError) in
      _ = try registry.connection.execute(
        SessionStatements.touch, [.integer(time), .text(id)])
    }
  }

  public func deleteSession(id: String) async throws(ServerError) -> Bool {
    try await engine.write { (registry) throws(ServerError) in
      try registry.advanceVersion()
      return try registry.connection.execute(SessionStatements.delete, [.text(id)]) == 1
    }
  }

  public func deleteSessions(
    unusedSince: Int64, endedBefore: Int64
  ) async throws(ServerError) {
    try await engine.write { (registry) throws(ServerError) in
      let removed = try registry.connection.execute(
        SessionStatements.deleteOld, [.integer(unusedSince), .integer(endedBefore)])
      if removed > 0 { try registry.advanceVersion() }
    }
  }
}

extension RegistrySession {
  fileprivate func session(_ row: SessionRow) throws(ServerError) -> Session {
    Session(
      id: row.id, accountID: row.account,
      store: try storeAddress(container: row.container, environment: row.environment),
      createdAt: row.createdAt, lastUsedAt: row.lastUsedAt, endsAt: row.endsAt)
  }
}

private struct SessionRow {
  let id: String
  let account: String
  let container: String
  let environment: String
  let createdAt: Int64
  let lastUsedAt: Int64
  let endsAt: Int64

  init(row: any SQLRow) {
    id = row.text(0)
    account = row.text(1)
    container = row.text(2)
    environment = row.text(3)
    createdAt = row.integer(4)
    lastUsedAt = row.integer(5)
    endsAt = row.integer(6)
  }
}

enum SessionStatements {
  private static let columns =
    "id, account, container, environment, created_at, last_used_at, ends_at"
  static let insert = SQLStatement(
    "INSERT INTO sessions (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
  static let find = SQLStatement("SELECT \(columns) FROM sessions WHERE id = ?")
  static let list = SQLStatement("SELECT \(columns) FROM sessions ORDER BY created_at, id")
  static let listOfAccount = SQLStatement(
    "SELECT \(columns) FROM sessions WHERE account = ? ORDER BY created_at, id")
  private static let ofPlace =
    "FROM sessions WHERE account = ? AND container = ? AND environment = ?"
  static let deleteSurplus = SQLStatement(
    """
    DELETE \(ofPlace) AND id NOT IN (
      SELECT id \(ofPlace) ORDER BY last_used_at DESC, created_at DESC, id LIMIT ?)
    """)
  static let deleteOfAccount = SQLStatement("DELETE FROM sessions WHERE account = ?")
  static let touch = SQLStatement("UPDATE sessions SET last_used_at = ? WHERE id = ?")
  static let delete = SQLStatement("DELETE FROM sessions WHERE id = ?")
  static let deleteOld = SQLStatement(
    "DELETE FROM sessions WHERE last_used_at < ? OR ends_at < ?")
}
