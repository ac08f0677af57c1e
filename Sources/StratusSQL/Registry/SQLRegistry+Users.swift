public import StratusDomain

extension SQLRegistry {
  public func keep(_ user: ContainerUser) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(user.container), .text(user.userRecordName), .text(user.accountID),
    ]
    try await engine.write { (session) throws(ServerError) in
      _ = try session.insert(UserStatements.insert, values)
    }
  }

  public func user(
    named name: String, in container: String
  ) async throws(ServerError) -> ContainerUser? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(UserStatements.findName, [.text(container), .text(name)]) {
        ContainerUser(container: container, userRecordName: name, accountID: $0.text(0))
      }
    }
  }

  public func user(
    ofAccount accountID: String, in container: String
  ) async throws(ServerError) -> ContainerUser? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(
        UserStatements.findAccount, [.text(accountID), .text(container)]
      ) {
        ContainerUser(container: container, userRecordName: $0.text(0), accountID: accountID)
      }
    }
  }

  public func sessionsWithoutUser(
    limit: Int
  ) async throws(ServerError) -> [(accountID: String, container: String)] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(UserStatements.missing, [.integer(Int64(limit))]) {
        ($0.text(0), $0.text(1))
      }
    }
  }
}

private enum UserStatements {
  static let insert = SQLStatement(
    "INSERT INTO users (container, name, account) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  static let findName = SQLStatement(
    "SELECT account FROM users WHERE container = ? AND name = ?")
  static let findAccount = SQLStatement(
    "SELECT name FROM users WHERE account = ? AND container = ?")
  static let missing = SQLStatement(
    """
    SELECT DISTINCT sessions.account, sessions.container FROM sessions
    LEFT JOIN users ON users.account = sessions.account AND users.container = sessions.container
    WHERE users.name IS NULL AND sessions.container <> '*' LIMIT ?
    """)
}
