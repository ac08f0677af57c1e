public import StratusDomain

extension SQLRegistry {
  public func change(
    to password: StoredPassword, from earlier: String?, endsAppSessions: Bool
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      if let earlier, try session.passwordHash(of: password.accountID) != earlier { return false }
      try session.setPassword(password, endsAppSessions: endsAppSessions)
      return true
    }
  }

  public func rehash(
    ofAccount accountID: String, from earlier: String, to hash: String
  ) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [.text(hash), .text(accountID), .text(earlier)]
    return try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(PasswordStatements.rehash, values) == 1
    }
  }

  public func password(
    ofAccount accountID: String
  ) async throws(ServerError) -> StoredPassword? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(PasswordStatements.find, [.text(accountID)]) {
        StoredPassword(accountID: accountID, hash: $0.text(0), changedAt: $0.integer(1))
      }
    }
  }

  /// NB: this is a plain insert, so an existing hash is an error. An upsert could replace another
  /// session.
  public func create(
    _ session: BrowserSession, provenBy proof: SignInProof, countMax: Int
  ) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [
      .bytes(session.hash), .text(session.accountID), .integer(session.createdAt),
      .integer(session.lastUsedAt), .integer(session.endsAt), .flag(session.isKept),
      .text(session.browser),
    ]
    let account = SQLValue.text(session.accountID)
    return try await engine.write { (registry) throws(ServerError) in
      guard try registry.has(proof, account: session.accountID) else { return false }
      _ = try registry.connection.execute(
        BrowserSessionStatements.deleteSurplus,
        [account, account, .integer(Int64(countMax - 1))])
      _ = try registry.connection.execute(BrowserSessionStatements.insert, values)
      return true
    }
  }

  public func browserSession(hash: [UInt8]) async throws(ServerError) -> BrowserSession? {
    try await engine.read { (registry) throws(ServerError) in
      try registry.connection.first(
        BrowserSessionStatements.find, [.bytes(hash)], BrowserSession.init(row:))
    }
  }

  public func browserSessions(
    ofAccount accountID: String
  ) async throws(ServerError) -> [BrowserSession] {
    try await engine.read { (registry) throws(ServerError) in
      try registry.connection.all(
        BrowserSessionStatements.list, [.text(accountID)], BrowserSession.init(row:))
    }
  }

  public func touchBrowserSession(hash: [UInt8], at time: Int64) async throws(ServerError) {
    try await engine.write { (registry) throws(ServerError) in
      _ = try registry.connection.execute(
        BrowserSessionStatements.touch, [.integer(time), .bytes(hash)])
    }
  }

  public func deleteBrowserSession(hash: [UInt8]) async throws(ServerError) -> Bool {
    try await engine.write { (registry) throws(ServerError) in
      try registry.connection.execute(BrowserSessionStatements.delete, [.bytes(hash)]) == 1
    }
  }

  public func deleteBrowserSessions(
    ofAccount accountID: String, except kept: [UInt8]?
  ) async throws(ServerError) {
    try await engine.write { (registry) throws(ServerError) in
      try registry.endBrowserSessions(of: accountID, except: kept)
    }
  }

  public func deleteBrowserSessions(
    endedBefore time: Int64, unusedSince: Int64, keptUnusedSince: Int64
  ) async throws(ServerError) {
    let values: [SQLValue] = [.integer(time), .integer(unusedSince), .integer(keptUnusedSince)]
    try await engine.write { (registry) throws(ServerError) in
      _ = try registry.connection.execute(BrowserSessionStatements.deleteOld, values)
    }
  }
}

extension RegistrySession {
  func passwordHash(of accountID: String) throws(ServerError) -> String? {
    try connection.first(PasswordStatements.find, [.text(accountID)]) { $0.text(0) }
  }

  /// Stores a password, and ends the account's browser sessions, and the sessions of its apps if
  /// `endsAppSessions` is true. Codes that were mailed to the account's address become invalid,
  /// because an earlier code must not replace the new password.
  func setPassword(
    _ password: StoredPassword, endsAppSessions: Bool
  ) throws(ServerError) {
    let account = SQLValue.text(password.accountID)
    _ = try connection.execute(
      PasswordStatements.keep, [account, .text(password.hash), .integer(password.changedAt)])
    try endBrowserSessions(of: password.accountID, except: nil)
    try deleteMailCodes(ofAccount: password.accountID)
    if endsAppSessions, try connection.execute(SessionStatements.deleteOfAccount, [account]) > 0 {
      try advanceVersion()
    }
  }

  func endBrowserSessions(of accountID: String, except kept: [UInt8]?) throws(ServerError) {
    _ = try connection.execute(
      BrowserSessionStatements.deleteOthers, [.text(accountID), .bytes(kept ?? [])])
  }
}

extension RegistryTables {
  /// The tables of passwords and browser sessions, added with layout 5.
  static func signIn(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE passwords (
      account \(dialect.text) PRIMARY KEY,
      hash \(dialect.text) NOT NULL,
      changed_at BIGINT NOT NULL);
    CREATE TABLE browser_sessions (
      hash \(dialect.bytes) NOT NULL PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT NOT NULL,
      ends_at BIGINT NOT NULL,
      kept BIGINT NOT NULL,
      browser \(dialect.text) NOT NULL);
    CREATE INDEX browser_sessions_by_account ON browser_sessions (account);
    CREATE INDEX sessions_by_account ON sessions (account);
    """
  }
}

extension BrowserSession {
  fileprivate init(row: any SQLRow) {
    self.init(
      hash: row.bytes(0), accountID: row.text(1), createdAt: row.integer(2),
      lastUsedAt: row.integer(3), endsAt: row.integer(4), isKept: row.integer(5) != 0,
      browser: row.text(6))
  }
}

private enum PasswordStatements {
  static let keep = SQLStatement(
    """
    INSERT INTO passwords (account, hash, changed_at) VALUES (?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at
    """)
  static let rehash = SQLStatement(
    "UPDATE passwords SET hash = ? WHERE account = ? AND hash = ?")
  static let find = SQLStatement("SELECT hash, changed_at FROM passwords WHERE account = ?")
}

private enum BrowserSessionStatements {
  private static let columns =
    "hash, account, created_at, last_used_at, ends_at, kept, browser"
  static let insert = SQLStatement(
    "INSERT INTO browser_sessions (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
  static let find = SQLStatement("SELECT \(columns) FROM browser_sessions WHERE hash = ?")
  static let list = SQLStatement(
    "SELECT \(columns) FROM browser_sessions WHERE account = ? ORDER BY created_at, hash")
  static let touch = SQLStatement("UPDATE browser_sessions SET last_used_at = ? WHERE hash = ?")
  static let delete = SQLStatement("DELETE FROM browser_sessions WHERE hash = ?")
  static let deleteOthers = SQLStatement(
    "DELETE FROM browser_sessions WHERE account = ? AND hash <> ?")
  static let deleteSurplus = SQLStatement(
    """
    DELETE FROM browser_sessions WHERE account = ? AND hash NOT IN (
      SELECT hash FROM browser_sessions WHERE account = ?
      ORDER BY last_used_at DESC, created_at DESC, hash LIMIT ?)
    """)
  static let deleteOld = SQLStatement(
    """
    DELETE FROM browser_sessions
    WHERE ends_at < ? OR (kept = 0 AND last_used_at < ?) OR last_used_at < ?
    """)
}
