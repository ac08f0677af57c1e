public import StratusDomain

extension SQLRegistry {
  public func add(_ consent: StoredConsent, max: Int) async throws(ServerError) {
    let account = SQLValue.text(consent.accountID)
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(
        ConsentStatements.deleteEnded, [.integer(consent.createdAt)])
      _ = try session.connection.execute(
        ConsentStatements.insert,
        [.bytes(consent.hash), account, .integer(consent.createdAt), .integer(consent.endsAt)])
      _ = try session.connection.execute(
        ConsentStatements.deleteSurplus, [account, account, .integer(Int64(max))])
    }
  }

  public func useConsent(
    hash: [UInt8], at now: Int64
  ) async throws(ServerError) -> StoredConsent? {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(
        ConsentStatements.use, [.integer(now), .bytes(hash), .integer(now)])
      return try session.connection.first(
        ConsentStatements.find, [.bytes(hash), .integer(now)], StoredConsent.init(row:))
    }
  }

  public func consents(
    ofAccount accountID: String, at now: Int64
  ) async throws(ServerError) -> [StoredConsent] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(
        ConsentStatements.list, [.text(accountID), .integer(now)], StoredConsent.init(row:))
    }
  }

  public func deleteConsents(ofAccount accountID: String) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(ConsentStatements.delete, [.text(accountID)])
    }
  }

  public func createTestAccount(_ account: Account) async throws(ServerError) -> Bool {
    guard try await create(account) else { return false }
    // NB: a crash before this transaction leaves an account that is not marked as a test account.
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(TestAccountStatements.insert, [.text(account.id)])
    }
    return true
  }

  public func testAccounts() async throws(ServerError) -> Set<String> {
    try await engine.read { (session) throws(ServerError) in
      Set(try session.connection.all(TestAccountStatements.list, []) { $0.text(0) })
    }
  }
}

extension RegistryTables {
  /// The tables of consents and of test accounts, added with layout 12.
  static func consents(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE consents (
      hash \(dialect.bytes) NOT NULL PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      created_at BIGINT NOT NULL,
      ends_at BIGINT NOT NULL,
      used_at BIGINT);
    CREATE INDEX consents_by_account ON consents (account);
    CREATE TABLE test_accounts (
      account \(dialect.text) PRIMARY KEY);
    """
  }
}

extension StoredConsent {
  fileprivate init(row: any SQLRow) {
    self.init(
      hash: row.bytes(0), accountID: row.text(1), createdAt: row.integer(2),
      endsAt: row.integer(3), usedAt: row.isNull(4) ? nil : row.integer(4))
  }
}

private enum ConsentStatements {
  private static let columns = "hash, account, created_at, ends_at, used_at"
  static let insert = SQLStatement(
    "INSERT INTO consents (hash, account, created_at, ends_at) VALUES (?, ?, ?, ?)")
  static let use = SQLStatement(
    "UPDATE consents SET used_at = ? WHERE hash = ? AND ends_at > ?")
  static let find = SQLStatement(
    "SELECT \(columns) FROM consents WHERE hash = ? AND ends_at > ?")
  static let list = SQLStatement(
    """
    SELECT \(columns) FROM consents WHERE account = ? AND ends_at > ?
    ORDER BY created_at DESC, hash
    """)
  static let delete = SQLStatement("DELETE FROM consents WHERE account = ?")
  static let deleteEnded = SQLStatement("DELETE FROM consents WHERE ends_at <= ?")
  static let deleteSurplus = SQLStatement(
    """
    DELETE FROM consents WHERE account = ? AND hash NOT IN (
      SELECT hash FROM consents WHERE account = ? ORDER BY created_at DESC, hash LIMIT ?)
    """)
}

private enum TestAccountStatements {
  static let insert = SQLStatement("INSERT INTO test_accounts (account) VALUES (?)")
  static let list = SQLStatement("SELECT account FROM test_accounts")
}
