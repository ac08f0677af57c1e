public import StratusDomain

extension SQLRegistry {
  public func addresses(
    ofAccount accountID: String
  ) async throws(ServerError) -> [ConfirmedAddress] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(AddressStatements.list, [.text(accountID)]) {
        ConfirmedAddress(accountID: accountID, email: $0.text(0), confirmedAt: $0.integer(1))
      }
    }
  }

  public func confirmAddress(
    codeHash: [UInt8], accountID: String, countMax: Int, at time: Int64
  ) async throws(ServerError) -> AddressConfirmation {
    try await engine.write { (session) throws(ServerError) in
      guard let code = try session.mailCode(hash: codeHash), code.purpose == .address,
        code.accountID == accountID, time <= code.endsAt,
        try session.account(email: code.email) == nil
      else { return .refused }
      let others = try session.connection.first(
        AddressStatements.count, [.text(accountID), .text(code.email)]
      ) { $0.integer(0) }
      if (others ?? 0) >= Int64(countMax) { return .tooMany }
      try session.deleteMailCode(hash: codeHash)
      _ = try session.connection.execute(
        AddressStatements.keep, [.text(code.email), .text(accountID), .integer(time)])
      return .confirmed(
        ConfirmedAddress(accountID: accountID, email: code.email, confirmedAt: time))
    }
  }

  public func deleteAddress(
    _ email: String, ofAccount accountID: String
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(
        AddressStatements.delete, [.text(email), .text(accountID)]) == 1
    }
  }
}

extension RegistryTables {
  /// The table of the additional e-mail addresses of accounts, and the column for the account of a
  /// mailed code, added with layout 15.
  static func addresses(_ dialect: SQLDialect) -> String {
    """
    ALTER TABLE mail_codes ADD COLUMN account \(dialect.text);
    CREATE TABLE addresses (
      email \(dialect.text) PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      confirmed_at BIGINT NOT NULL);
    CREATE INDEX addresses_by_account ON addresses (account, email);
    """
  }
}

private enum AddressStatements {
  static let list = SQLStatement(
    """
    SELECT email, confirmed_at FROM addresses WHERE account = ?
    AND NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.email = addresses.email)
    ORDER BY email
    """)
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM addresses WHERE account = ? AND email <> ?")
  static let keep = SQLStatement(
    """
    INSERT INTO addresses (email, account, confirmed_at) VALUES (?, ?, ?)
    ON CONFLICT (email) DO UPDATE SET account = excluded.account,
      confirmed_at = excluded.confirmed_at
    """)
  static let delete = SQLStatement("DELETE FROM addresses WHERE email = ? AND account = ?")
}
