public import StratusDomain

extension SQLRegistry {
  public func create(
    _ link: ProviderLink, creating account: Account?, countMax: Int
  ) async throws(ServerError) -> Bool {
    let values: [SQLValue] = [
      .text(link.issuer), .text(link.subject), .text(link.accountID), .text(link.email),
      .integer(link.createdAt),
    ]
    return try await engine.write { (session) throws(ServerError) in
      guard try session.link(issuer: link.issuer, subject: link.subject) == nil,
        try session.linkCount(of: link.accountID) < Int64(countMax)
      else { return false }
      if let account {
        guard try session.account(email: account.email) == nil, try session.insert(account) else {
          return false
        }
      }
      _ = try session.connection.execute(LinkStatements.insert, values)
      return true
    }
  }

  public func providerLink(
    issuer: String, subject: String
  ) async throws(ServerError) -> ProviderLink? {
    try await engine.read { (session) throws(ServerError) in
      try session.link(issuer: issuer, subject: subject)
    }
  }

  public func providerLinks(
    ofAccount accountID: String
  ) async throws(ServerError) -> [ProviderLink] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(
        LinkStatements.list, [.text(accountID)], ProviderLink.init(row:))
    }
  }

  public func deleteProviderLink(
    issuer: String, subject: String, ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval {
    try await engine.write { (session) throws(ServerError) in
      guard try session.link(issuer: issuer, subject: subject)?.accountID == accountID else {
        return .unknown
      }
      guard try session.credentialCount(of: accountID) > 1 else { return .isLast }
      _ = try session.connection.execute(
        LinkStatements.delete, [.text(issuer), .text(subject)])
      try session.deletePhones(of: accountID, verifiedBy: issuer)
      try session.endBrowserSessions(of: accountID, except: kept)
      return .removed
    }
  }
}

extension RegistrySession {
  func link(issuer: String, subject: String) throws(ServerError) -> ProviderLink? {
    try connection.first(
      LinkStatements.find, [.text(issuer), .text(subject)], ProviderLink.init(row:))
  }

  func linkCount(of accountID: String) throws(ServerError) -> Int64 {
    try connection.first(LinkStatements.count, [.text(accountID)]) { $0.integer(0) } ?? 0
  }
}

extension ProviderLink {
  fileprivate init(row: any SQLRow) {
    self.init(
      issuer: row.text(0), subject: row.text(1), accountID: row.text(2), email: row.text(3),
      createdAt: row.integer(4))
  }
}

extension RegistryTables {
  /// The table of links to users of identity providers, added with layout 10.
  static func providerLinks(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE provider_links (
      issuer \(dialect.text) NOT NULL,
      subject \(dialect.text) NOT NULL,
      account \(dialect.text) NOT NULL,
      email \(dialect.text) NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject));
    CREATE INDEX provider_links_of_account ON provider_links (account, created_at);
    """
  }
}

private enum LinkStatements {
  private static let columns = "issuer, subject, account, email, created_at"
  static let insert = SQLStatement("INSERT INTO provider_links (\(columns)) VALUES (?, ?, ?, ?, ?)")
  static let find = SQLStatement(
    "SELECT \(columns) FROM provider_links WHERE issuer = ? AND subject = ?")
  static let list = SQLStatement(
    "SELECT \(columns) FROM provider_links WHERE account = ? ORDER BY created_at, issuer, subject")
  static let count = SQLStatement("SELECT COUNT(*) FROM provider_links WHERE account = ?")
  static let delete = SQLStatement("DELETE FROM provider_links WHERE issuer = ? AND subject = ?")
}
