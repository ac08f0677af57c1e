public import StratusDomain

extension SQLRegistry {
  public func set(
    _ factor: StoredFactor, recoveryCodes hashes: [[UInt8]], keepingSession kept: [UInt8]?,
    provenBy passwordHash: String
  ) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [
      .text(factor.accountID), .bytes(factor.sealedSecret), .integer(factor.lastStep),
      .integer(factor.createdAt),
    ]
    return try await engine.write { (session) throws(ServerError) in
      guard try session.passwordHash(of: factor.accountID) == passwordHash else { return false }
      _ = try session.connection.execute(FactorStatements.keep, values)
      try session.setRecoveryCodes(hashes, of: factor.accountID)
      try session.endBrowserSessions(of: factor.accountID, except: kept)
      return true
    }
  }

  public func factor(ofAccount accountID: String) async throws(ServerError) -> StoredFactor? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(FactorStatements.find, [.text(accountID)]) {
        StoredFactor(
          accountID: accountID, sealedSecret: $0.bytes(0), lastStep: $0.integer(1),
          createdAt: $0.integer(2))
      }
    }
  }

  public func useStep(
    _ step: Int64, ofAccount accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(
        FactorStatements.useStep, [.integer(step), .text(accountID), .integer(step)]) == 1
    }
  }

  public func setRecoveryCodes(
    _ hashes: [[UInt8]], ofAccount accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      let found = try session.connection.first(FactorStatements.find, [.text(accountID)]) { _ in
        true
      }
      guard found == true else { return false }
      try session.setRecoveryCodes(hashes, of: accountID)
      return true
    }
  }

  public func useRecoveryCode(
    hash: [UInt8], ofAccount accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(
        RecoveryCodeStatements.use, [.text(accountID), .bytes(hash)]) == 1
    }
  }

  public func recoveryCodeCount(ofAccount accountID: String) async throws(ServerError) -> Int {
    try await engine.read { (session) throws(ServerError) in
      let count = try session.connection.first(
        RecoveryCodeStatements.count, [.text(accountID)]
      ) { $0.integer(0) }
      return Int(count ?? 0)
    }
  }

  public func deleteFactor(ofAccount accountID: String) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(RecoveryCodeStatements.deleteAll, [.text(accountID)])
      return try session.connection.execute(FactorStatements.delete, [.text(accountID)]) == 1
    }
  }
}

extension RegistrySession {
  fileprivate func setRecoveryCodes(
    _ hashes: [[UInt8]], of accountID: String
  ) throws(ServerError) {
    _ = try connection.execute(RecoveryCodeStatements.deleteAll, [.text(accountID)])
    for hash in hashes {
      _ = try connection.execute(
        RecoveryCodeStatements.insert, [.text(accountID), .bytes(hash)])
    }
  }
}

extension RegistryTables {
  /// The tables of second factors and recovery codes, added with layout 7.
  static func factors(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE factors (
      account \(dialect.text) PRIMARY KEY,
      secret \(dialect.bytes) NOT NULL,
      last_step BIGINT NOT NULL,
      created_at BIGINT NOT NULL);
    CREATE TABLE recovery_codes (
      account \(dialect.text) NOT NULL,
      hash \(dialect.bytes) NOT NULL,
      PRIMARY KEY (account, hash));
    """
  }
}

private enum FactorStatements {
  static let keep = SQLStatement(
    """
    INSERT INTO factors (account, secret, last_step, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET secret = excluded.secret,
      last_step = excluded.last_step, created_at = excluded.created_at
    """)
  static let find = SQLStatement(
    "SELECT secret, last_step, created_at FROM factors WHERE account = ?")
  static let useStep = SQLStatement(
    "UPDATE factors SET last_step = ? WHERE account = ? AND last_step < ?")
  static let delete = SQLStatement("DELETE FROM factors WHERE account = ?")
}

private enum RecoveryCodeStatements {
  static let insert = SQLStatement("INSERT INTO recovery_codes (account, hash) VALUES (?, ?)")
  static let use = SQLStatement("DELETE FROM recovery_codes WHERE account = ? AND hash = ?")
  static let count = SQLStatement("SELECT COUNT(*) FROM recovery_codes WHERE account = ?")
  static let deleteAll = SQLStatement("DELETE FROM recovery_codes WHERE account = ?")
}
