public import StratusDomain
public import StratusWire

extension SQLRegistry {
  public func beginRemoval(
    _ removal: AccountRemoval, entry: AuditEntry
  ) async throws(ServerError) -> RemovalStart {
    let accountID = removal.receipt.accountID
    return try await engine.write { (session) throws(ServerError) -> RemovalStart in
      if let earlier = try session.removal(
        RemovalStatements.findOfAccount, [.text(accountID)])
      {
        return .begun(earlier)
      }
      let account = try session.connection.first(
        RemovalStatements.email, [.text(accountID)], { $0.text(0) })
      guard let account else { return .noAccount }
      if try session.isLastOwner(accountID) { return .lastOwner }
      try session.advanceVersion()
      _ = try session.connection.execute(
        RemovalStatements.disable, [.flag(true), .text(accountID)])
      var begun = removal
      try session.removeCredentials(
        ofAccount: accountID, email: account, counts: &begun.receipt.counts)
      _ = try session.connection.execute(RemovalStatements.insert, begun.values)
      try session.append(entry)
      return .begun(begun)
    }
  }

  public func save(
    _ removal: AccountRemoval
  ) async throws(ServerError) -> AccountRemoval? {
    try await engine.write { (session) throws(ServerError) in try session.save(removal) }
  }

  public func finish(
    _ removal: AccountRemoval, at now: Int64
  ) async throws(ServerError) -> AccountRemoval? {
    let accountID = removal.receipt.accountID
    return try await engine.write { (session) throws(ServerError) -> AccountRemoval? in
      var ended = removal
      ended.receipt.endedAt = now
      let email = try session.connection.first(
        RemovalStatements.email, [.text(accountID)], { $0.text(0) })
      if let email {
        try session.removeCredentials(
          ofAccount: accountID, email: email, counts: &ended.receipt.counts)
        let mails = try session.connection.execute(RemovalStatements.mails, [.text(email)])
        if mails > 0 { ended.receipt.counts["mails", default: 0] += Int64(mails) }
      }
      for statement in RemovalStatements.last {
        _ = try session.connection.execute(statement, [.text(accountID)])
      }
      try session.advanceVersion()
      return try session.save(ended)
    }
  }

  public func openRemovals(limit: Int) async throws(ServerError) -> [AccountRemoval] {
    try await engine.read { (session) throws(ServerError) in
      try session.removals(RemovalStatements.open, [.integer(Int64(limit))])
    }
  }

  public func removal(id: String) async throws(ServerError) -> AccountRemoval? {
    try await engine.read { (session) throws(ServerError) in
      try session.removal(RemovalStatements.find, [.text(id)])
    }
  }

  public func removals(limit: Int) async throws(ServerError) -> [AccountRemoval] {
    try await engine.read { (session) throws(ServerError) in
      try session.removals(RemovalStatements.newest, [.integer(Int64(limit))])
    }
  }

  public func deleteRemovals(endedBefore time: Int64) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(RemovalStatements.deleteOld, [.integer(time)])
    }
  }

  public func removeCredential(_ entry: RemovalEntry) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      let statement: SQLStatement
      let values: [SQLValue]
      switch entry.kind {
      case .password:
        statement = RemovalStatements.password
        values = [.text(entry.subject)]
      case .passkey:
        statement = RemovalStatements.passkey
        values = [.bytes([UInt8](hexText: entry.subject) ?? [])]
      case .providerLink:
        statement = RemovalStatements.link
        values = [.text(entry.detail ?? ""), .text(entry.subject)]
      case .account, .session, .sessions, .browserSession, .browserSessions, .apiToken,
        .serverKey, .role, .member, .disabled, .enabled, .restricted, .unrestricted:
        return false
      }
      return try session.connection.execute(statement, values) == 1
    }
  }

  public func users(ofAccount accountID: String) async throws(ServerError) -> [ContainerUser] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(RemovalStatements.users, [.text(accountID)]) {
        ContainerUser(
          container: $0.text(0), userRecordName: $0.text(1), accountID: accountID)
      }
    }
  }
}

extension RegistrySession {
  fileprivate func removal(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> AccountRemoval? {
    try removals(statement, values).first
  }

  fileprivate func removals(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> [AccountRemoval] {
    var found: [AccountRemoval] = []
    try connection.run(statement, values) { (row) throws(ServerError) in
      found.append(try AccountRemoval(row: row))
      return true
    }
    return found
  }

  fileprivate func save(_ removal: AccountRemoval) throws(ServerError) -> AccountRemoval? {
    var saved = removal
    saved.step += 1
    let count = try connection.execute(
      RemovalStatements.save,
      saved.state + [.text(removal.receipt.id), .integer(removal.step)])
    if count != 1 { return nil }
    if saved.isChecked {
      _ = try connection.execute(RemovalStatements.deleteUsers, [.text(removal.receipt.accountID)])
    }
    return saved
  }

  /// Removes the account's credentials, sessions, consents and mailed codes, the membership in the
  /// team, and the user's name, telephone numbers and additional addresses. Adds the numbers of
  /// removed rows to `counts`, except the number of mailed codes.
  fileprivate func removeCredentials(
    ofAccount accountID: String, email: String, counts: inout [String: Int64]
  ) throws(ServerError) {
    for (kind, statement) in RemovalStatements.credentials {
      let count = try connection.execute(statement, [.text(accountID)])
      if count > 0 { counts[kind, default: 0] += Int64(count) }
    }
    _ = try connection.execute(RemovalStatements.mailCodes, [.text(email)])
  }
}

extension RegistryTables {
  /// The table of the deletions of accounts, added with layout 13. After the deletion, its row
  /// stays as the receipt until ``SQLRegistry/deleteRemovals(endedBefore:)`` removes it.
  static func removals(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE account_removals (
      id \(dialect.text) PRIMARY KEY,
      account \(dialect.text) NOT NULL UNIQUE,
      public_records \(dialect.text) NOT NULL,
      begun_at BIGINT NOT NULL,
      ended_at BIGINT,
      checked BIGINT NOT NULL,
      step BIGINT NOT NULL,
      container \(dialect.text),
      environment \(dialect.text),
      public_after BIGINT NOT NULL,
      public_through BIGINT,
      counts \(dialect.text) NOT NULL);
    CREATE INDEX account_removals_open ON account_removals (begun_at) WHERE checked = 0;
    CREATE INDEX account_removals_by_time ON account_removals (begun_at);
    CREATE INDEX account_removals_ended ON account_removals (ended_at)
      WHERE ended_at IS NOT NULL;
    CREATE INDEX mails_by_recipient ON mails (recipient);
    """
  }
}

extension AccountRemoval {
  fileprivate init(row: any SQLRow) throws(ServerError) {
    guard let choice = PublicRecordsChoice(rawValue: row.text(2)) else {
      throw .fault("a deletion of an account has an unknown choice")
    }
    let counts: JSONView
    do { counts = try JSONView(parsing: Array(row.text(11).utf8)) } catch {
      throw .fault("the counts of a deletion cannot be read")
    }
    var lastStore: StoreAddress?
    if let container = row.optionalText(7) {
      guard let environment = ContainerEnvironment(rawValue: row.text(8)) else {
        throw .fault("a deletion of an account has an unknown environment")
      }
      lastStore = StoreAddress(container: container, environment: environment)
    }
    self.init(
      receipt: RemovalReceipt(
        id: row.text(0), accountID: row.text(1), publicRecords: choice, begunAt: row.integer(3),
        endedAt: row.isNull(4) ? nil : row.integer(4), counts: RemovalReceipt.counts(counts)),
      step: row.integer(6), lastStore: lastStore,
      progress: UserRemovalProgress(
        publicAfter: row.integer(9), publicThrough: row.isNull(10) ? nil : row.integer(10)),
      isChecked: row.integer(5) != 0)
  }

  /// The values of the columns that a step changes, beginning with `ended_at`.
  fileprivate var state: [SQLValue] {
    var writer = JSONWriter()
    RemovalReceipt.write(receipt.counts, to: &writer)
    return [
      receipt.endedAt.map { .integer($0) } ?? .null, .flag(isChecked), .integer(step),
      .optional(lastStore?.container), .optional(lastStore?.environment.rawValue),
      .integer(progress.publicAfter), progress.publicThrough.map { .integer($0) } ?? .null,
      .text(String(decoding: writer.bytes, as: UTF8.self)),
    ]
  }

  fileprivate var values: [SQLValue] {
    [
      .text(receipt.id), .text(receipt.accountID), .text(receipt.publicRecords.rawValue),
      .integer(receipt.begunAt),
    ] + state
  }
}

private enum RemovalStatements {
  private static let columns =
    """
    id, account, public_records, begun_at, ended_at, checked, step, container, environment, \
    public_after, public_through, counts
    """
  private static let select = "SELECT \(columns) FROM account_removals"
  static let find = SQLStatement(select + " WHERE id = ?")
  static let findOfAccount = SQLStatement(select + " WHERE account = ?")
  static let open = SQLStatement(select + " WHERE checked = 0 ORDER BY begun_at LIMIT ?")
  static let newest = SQLStatement(select + " ORDER BY begun_at DESC LIMIT ?")
  static let insert = SQLStatement(
    "INSERT INTO account_removals (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  static let save = SQLStatement(
    """
    UPDATE account_removals SET ended_at = ?, checked = ?, step = ?, container = ?,
      environment = ?, public_after = ?, public_through = ?, counts = ?
    WHERE id = ? AND step = ?
    """)
  static let deleteOld = SQLStatement(
    """
    DELETE FROM account_removals WHERE ended_at IS NOT NULL AND ended_at < ? AND checked <> 0
    """)
  static let users = SQLStatement(
    "SELECT container, name FROM users WHERE account = ? ORDER BY container")
  static let email = SQLStatement("SELECT email FROM accounts WHERE id = ?")
  static let disable = SQLStatement("UPDATE accounts SET disabled = ? WHERE id = ?")
  static let password = SQLStatement("DELETE FROM passwords WHERE account = ?")
  static let passkey = SQLStatement("DELETE FROM passkeys WHERE id = ?")
  static let link = SQLStatement("DELETE FROM provider_links WHERE issuer = ? AND subject = ?")
  /// NB: a mail that still waits is sent, because it may be the notice of the deletion. It is
  /// removed later, like every mail.
  static let mails = SQLStatement(
    "DELETE FROM mails WHERE recipient = ? AND next_at IS NULL")
  static let mailCodes = SQLStatement("DELETE FROM mail_codes WHERE email = ?")

  static let credentials: [(kind: String, statement: SQLStatement)] = [
    ("sessions", "sessions"), ("browserSessions", "browser_sessions"),
    ("passwords", "passwords"), ("passkeys", "passkeys"), ("providerLinks", "provider_links"),
    ("factors", "factors"), ("recoveryCodes", "recovery_codes"), ("consents", "consents"),
    ("teamMemberships", "team"), ("profiles", "profiles"), ("phones", "phones"),
    ("addresses", "addresses"),
  ].map { ($0.0, SQLStatement("DELETE FROM \($0.1) WHERE account = ?")) }

  /// NB: this statement runs only after the check that follows the deletion, because the check
  /// needs the user record names of the account.
  static let deleteUsers = SQLStatement("DELETE FROM users WHERE account = ?")
  /// The statements that delete the rows which all earlier steps of the deletion need.
  static let last = [
    SQLStatement("DELETE FROM test_accounts WHERE account = ?"),
    SQLStatement("DELETE FROM accounts WHERE id = ?"),
  ]
}
