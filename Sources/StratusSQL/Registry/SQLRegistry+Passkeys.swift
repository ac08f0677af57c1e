public import StratusDomain

extension SQLRegistry {
  public func create(_ passkey: Passkey, countMax: Int) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [
      .bytes(passkey.id), .text(passkey.accountID), .text(passkey.name),
      .bytes(passkey.publicKey), .text(passkey.host), .integer(passkey.signCount),
      .flag(passkey.isBackupEligible), .flag(passkey.isBackedUp), .flag(passkey.isSuspect),
      .integer(passkey.createdAt), passkey.lastUsedAt.map { .integer($0) } ?? .null,
    ]
    return try await engine.write { (session) throws(ServerError) in
      guard try session.passkey(id: passkey.id) == nil,
        try session.passkeyCount(of: passkey.accountID) < Int64(countMax)
      else { return false }
      _ = try session.connection.execute(PasskeyStatements.insert, values)
      return true
    }
  }

  public func passkey(id: [UInt8]) async throws(ServerError) -> Passkey? {
    try await engine.read { (session) throws(ServerError) in try session.passkey(id: id) }
  }

  public func passkeys(ofAccount accountID: String) async throws(ServerError) -> [Passkey] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(
        PasskeyStatements.list, [.text(accountID)], Passkey.init(row:))
    }
  }

  public func usePasskey(
    id: [UInt8], signCount: Int64, isBackedUp: Bool, isSuspect: Bool, at time: Int64
  ) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [
      .integer(signCount), .integer(signCount), .flag(isBackedUp), .flag(isSuspect),
      .integer(time), .bytes(id),
    ]
    return try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(PasskeyStatements.use, values) == 1
    }
  }

  public func rename(
    passkey id: [UInt8], ofAccount accountID: String, to name: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(
        PasskeyStatements.rename, [.text(name), .bytes(id), .text(accountID)]) == 1
    }
  }

  public func deletePasskey(
    id: [UInt8], ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval {
    try await engine.write { (session) throws(ServerError) in
      guard try session.passkey(id: id)?.accountID == accountID else { return .unknown }
      guard try session.credentialCount(of: accountID) > 1 else { return .isLast }
      _ = try session.connection.execute(PasskeyStatements.delete, [.bytes(id)])
      try session.endBrowserSessions(of: accountID, except: kept)
      return .removed
    }
  }

  public func deletePassword(
    ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval {
    try await engine.write { (session) throws(ServerError) in
      guard try session.passwordHash(of: accountID) != nil else { return .unknown }
      guard try session.credentialCount(of: accountID) > 1 else { return .isLast }
      _ = try session.connection.execute(PasskeyStatements.deletePassword, [.text(accountID)])
      try session.endBrowserSessions(of: accountID, except: kept)
      return .removed
    }
  }
}

extension RegistrySession {
  fileprivate func passkey(id: [UInt8]) throws(ServerError) -> Passkey? {
    try connection.first(PasskeyStatements.find, [.bytes(id)], Passkey.init(row:))
  }

  fileprivate func passkeyCount(of accountID: String) throws(ServerError) -> Int64 {
    try connection.first(PasskeyStatements.count, [.text(accountID)]) { $0.integer(0) } ?? 0
  }

  /// Returns the number of credentials by which an account's user can sign in.
  func credentialCount(of accountID: String) throws(ServerError) -> Int64 {
    try passkeyCount(of: accountID) + linkCount(of: accountID)
      + (passwordHash(of: accountID) == nil ? 0 : 1)
  }

  /// Whether an account still has the credential of a sign-in.
  func has(_ proof: SignInProof, account accountID: String) throws(ServerError) -> Bool {
    switch proof {
    case .password(let hash): try passwordHash(of: accountID) == hash
    case .passkey(let id): try passkey(id: id)?.accountID == accountID
    case .provider(let issuer, let subject):
      try link(issuer: issuer, subject: subject)?.accountID == accountID
    }
  }
}

extension Passkey {
  fileprivate init(row: any SQLRow) {
    self.init(
      id: row.bytes(0), accountID: row.text(1), name: row.text(2), publicKey: row.bytes(3),
      host: row.text(4), signCount: row.integer(5), isBackupEligible: row.integer(6) != 0,
      isBackedUp: row.integer(7) != 0, isSuspect: row.integer(8) != 0, createdAt: row.integer(9),
      lastUsedAt: row.isNull(10) ? nil : row.integer(10))
  }
}

extension RegistryTables {
  /// The table of passkeys, added with layout 9.
  static func passkeys(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE passkeys (
      id \(dialect.bytes) NOT NULL PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      public_key \(dialect.bytes) NOT NULL,
      host \(dialect.text) NOT NULL,
      sign_count BIGINT NOT NULL,
      backup_eligible BIGINT NOT NULL,
      backed_up BIGINT NOT NULL,
      suspect BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT);
    CREATE INDEX passkeys_of_account ON passkeys (account, created_at);
    """
  }
}

private enum PasskeyStatements {
  private static let columns = """
    id, account, name, public_key, host, sign_count, backup_eligible, backed_up, suspect,
    created_at, last_used_at
    """
  static let insert = SQLStatement(
    "INSERT INTO passkeys (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  static let find = SQLStatement("SELECT \(columns) FROM passkeys WHERE id = ?")
  static let list = SQLStatement(
    "SELECT \(columns) FROM passkeys WHERE account = ? ORDER BY created_at, id")
  static let count = SQLStatement("SELECT COUNT(*) FROM passkeys WHERE account = ?")
  static let use = SQLStatement(
    """
    UPDATE passkeys SET sign_count = CASE WHEN sign_count < ? THEN ? ELSE sign_count END,
      backed_up = ?, suspect = ?, last_used_at = ?
    WHERE id = ?
    """)
  static let rename = SQLStatement("UPDATE passkeys SET name = ? WHERE id = ? AND account = ?")
  static let delete = SQLStatement("DELETE FROM passkeys WHERE id = ?")
  static let deletePassword = SQLStatement("DELETE FROM passwords WHERE account = ?")
}
