public import StratusDomain

extension SQLRegistry {
  public func create(_ account: Account) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in try session.insert(account) }
  }

  public func account(id: String) async throws(ServerError) -> Account? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(AccountStatements.findID, [.text(id)], Account.init(row:))
    }
  }

  public func account(email: String) async throws(ServerError) -> Account? {
    try await engine.read { (session) throws(ServerError) in
      try session.account(email: email)
    }
  }

  public func accounts() async throws(ServerError) -> [Account] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(AccountStatements.list, [], Account.init(row:))
    }
  }

  public func closedAccounts() async throws(ServerError) -> [String] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(AccountStatements.listClosed, [.flag(true)]) { $0.text(0) }
    }
  }

  public func setDisabled(
    _ isDisabled: Bool, accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.advanceVersion()
      return try session.connection.execute(
        AccountStatements.setDisabled, [.flag(isDisabled), .text(accountID)]) == 1
    }
  }

  public func setRestricted(
    _ isRestricted: Bool, accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.advanceVersion()
      return try session.connection.execute(
        AccountStatements.setRestricted, [.flag(isRestricted), .text(accountID)]) == 1
    }
  }

  public func setRestrictedByUser(
    _ isRestricted: Bool, accountID: String, entry: AuditEntry?
  ) async throws(ServerError) -> Bool {
    let restrictedByUser = SQLValue.integer(Account.restrictedByUser)
    let (new, old): (SQLValue, SQLValue) =
      isRestricted ? (restrictedByUser, .flag(false)) : (.flag(false), restrictedByUser)
    return try await engine.write { (session) throws(ServerError) in
      let count = try session.connection.execute(
        AccountStatements.replaceRestriction, [new, .text(accountID), old])
      guard count == 1 else { return false }
      try session.advanceVersion()
      if let entry { try session.append(entry) }
      return true
    }
  }
}

extension RegistrySession {
  func account(email: String) throws(ServerError) -> Account? {
    try connection.first(AccountStatements.findEmail, [.text(email)], Account.init(row:))
  }

  /// - Returns: false if an account with that e-mail address exists.
  func insert(_ account: Account) throws(ServerError) -> Bool {
    try insert(
      AccountStatements.insert,
      [
        .text(account.id), .text(account.email), .flag(account.isDisabled),
        .integer(account.restriction),
      ])
  }
}

extension Account {
  fileprivate init(row: any SQLRow) {
    self.init(
      id: row.text(0), email: row.text(1), isDisabled: row.integer(2) != 0,
      isRestricted: row.integer(3) != 0, isRestrictedByUser: row.integer(3) == Self.restrictedByUser
    )
  }

  /// The value of the column `restricted` if the user has restricted the account. 1 means that an
  /// operator or a member of the team has restricted it, and 0 means no restriction.
  fileprivate static let restrictedByUser: Int64 = 2

  fileprivate var restriction: Int64 {
    isRestricted ? isRestrictedByUser ? Self.restrictedByUser : 1 : 0
  }
}

private enum AccountStatements {
  private static let select = "SELECT id, email, disabled, restricted FROM accounts"
  static let findID = SQLStatement(select + " WHERE id = ?")
  static let findEmail = SQLStatement(select + " WHERE email = ?")
  static let list = SQLStatement(select + " ORDER BY email")
  static let listClosed = SQLStatement(
    "SELECT id FROM accounts WHERE disabled = ? OR restricted <> 0")
  static let insert = SQLStatement(
    """
    INSERT INTO accounts (id, email, disabled, restricted) VALUES (?, ?, ?, ?)
    ON CONFLICT (email) DO NOTHING
    """)
  /// NB: an account that is being deleted stays disabled.
  static let setDisabled = SQLStatement(
    """
    UPDATE accounts SET disabled = ? WHERE id = ?
      AND NOT EXISTS (SELECT 1 FROM account_removals WHERE account = accounts.id)
    """)
  static let replaceRestriction = SQLStatement(
    "UPDATE accounts SET restricted = ? WHERE id = ? AND restricted = ?")
  static let setRestricted = SQLStatement("UPDATE accounts SET restricted = ? WHERE id = ?")
}
