public import StratusDomain

extension SQLRegistry {
  public func create(
    _ mail: WaitingMail, with code: MailCode?, within bounds: [MailBound]
  ) async throws(ServerError) -> MailBound? {
    let mailbox = MailAddress.mailbox(of: mail.recipient)
    let values: [SQLValue] = [
      .text(mail.id), .text(mail.recipient), .text(mailbox), .text(mail.subject),
      .bytes(mail.sealedText), .integer(mail.createdAt), .integer(mail.nextAt),
      .integer(Int64(mail.attempts)), .integer(mail.kind.rawValue),
      mail.endsAt.map { .integer($0) } ?? .null,
    ]
    let kind = SQLValue.integer(mail.kind.rawValue)
    return try await engine.write { (session) throws(ServerError) in
      for bound in bounds {
        let count =
          if bound.isForMailbox {
            try session.connection.first(
              MailStatements.countOfMailbox, [.text(mailbox), .integer(bound.since), kind]
            ) { $0.integer(0) }
          } else {
            try session.connection.first(MailStatements.count, [.integer(bound.since), kind]) {
              $0.integer(0)
            }
          }
        if (count ?? 0) >= Int64(bound.countMax) { return bound }
      }
      _ = try session.connection.execute(MailStatements.insert, values)
      if let code { try session.keep(code) }
      return nil
    }
  }

  public func create(_ code: MailCode) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in try session.keep(code) }
  }

  public func takeMails(
    dueAt time: Int64, leaseUntil end: Int64, limit: Int
  ) async throws(ServerError) -> [WaitingMail] {
    let values: [SQLValue] = [.integer(time), .integer(Int64(limit))]
    // Usually no mail is due. A read finds that out without waiting for a flush.
    let isIdle = try await engine.read { (session) throws(ServerError) in
      try session.connection.first(MailStatements.due, values, WaitingMail.init(row:)) == nil
    }
    if isIdle { return [] }
    return try await engine.write { (session) throws(ServerError) in
      var mails = try session.connection.all(MailStatements.due, values, WaitingMail.init(row:))
      for index in mails.indices {
        mails[index].attempts += 1
        _ = try session.connection.execute(
          MailStatements.lease, [.integer(end), .text(mails[index].id)])
      }
      return mails
    }
  }

  public func postpone(mailID: String, until time: Int64) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(
        MailStatements.postpone, [.integer(time), .text(mailID)])
    }
  }

  public func finish(mailID: String) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(MailStatements.finish, [.bytes([]), .text(mailID)])
    }
  }

  public func deleteMails(
    createdBefore time: Int64, codesEndedBefore end: Int64
  ) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(MailStatements.deleteOld, [.integer(time)])
      _ = try session.connection.execute(MailCodeStatements.deleteOld, [.integer(end)])
    }
  }

  public func mailCode(hash: [UInt8]) async throws(ServerError) -> MailCode? {
    try await engine.read { (session) throws(ServerError) in try session.mailCode(hash: hash) }
  }

  public func redeem(
    codeHash: [UInt8], newID: String, passwordHash: String, at time: Int64
  ) async throws(ServerError) -> Account? {
    try await engine.write { (session) throws(ServerError) in
      guard let code = try session.mailCode(hash: codeHash), time <= code.endsAt,
        code.purpose != .address
      else { return nil }
      let account: Account
      var hadPassword = false
      if let known = try session.account(email: code.email) {
        account = known
        hadPassword = try session.passwordHash(of: known.id) != nil
        if known.isDisabled || (hadPassword && code.purpose != .reset) { return nil }
      } else {
        account = Account(id: newID, email: code.email, isDisabled: false)
        guard code.purpose != .reset, try session.insert(account) else { return nil }
      }
      try session.deleteMailCode(hash: codeHash)
      try session.setPassword(
        StoredPassword(accountID: account.id, hash: passwordHash, changedAt: time),
        endsAppSessions: hadPassword)
      return account
    }
  }
}

extension RegistrySession {
  fileprivate func keep(_ code: MailCode) throws(ServerError) {
    let key: [SQLValue] = [.text(code.email), .text(code.purpose.rawValue)]
    let browser = code.browser.map { SQLValue.bytes($0) }
    if let browser {
      _ = try connection.execute(MailCodeStatements.deleteOfBrowser, key + [browser])
    } else {
      _ = try connection.execute(MailCodeStatements.deleteOfAnyBrowser, key)
    }
    _ = try connection.execute(
      MailCodeStatements.insert,
      [
        .bytes(code.hash), .text(code.purpose.rawValue), .text(code.email), browser ?? .null,
        code.accountID.map { .text($0) } ?? .null, .integer(code.endsAt),
      ])
  }

  func deleteMailCode(hash: [UInt8]) throws(ServerError) {
    _ = try connection.execute(MailCodeStatements.delete, [.bytes(hash)])
  }

  /// Removes all mailed codes for the address with which the account's user signs in.
  func deleteMailCodes(ofAccount accountID: String) throws(ServerError) {
    _ = try connection.execute(MailCodeStatements.deleteOfAccount, [.text(accountID)])
  }

  func mailCode(hash: [UInt8]) throws(ServerError) -> MailCode? {
    let row = try connection.first(MailCodeStatements.find, [.bytes(hash)]) {
      (
        purpose: $0.text(0), email: $0.text(1), browser: $0.isNull(2) ? nil : $0.bytes(2),
        account: $0.optionalText(3), endsAt: $0.integer(4)
      )
    }
    guard let row else { return nil }
    guard let purpose = MailCode.Purpose(rawValue: row.purpose) else {
      throw .fault("a mailed code has an unknown purpose", facts: ["purpose": row.purpose])
    }
    return MailCode(
      hash: hash, purpose: purpose, email: row.email, browser: row.browser,
      accountID: row.account, endsAt: row.endsAt)
  }
}

extension WaitingMail {
  fileprivate init(row: any SQLRow) {
    self.init(
      id: row.text(0), recipient: row.text(1), subject: row.text(2), sealedText: row.bytes(3),
      createdAt: row.integer(4), nextAt: row.integer(5), attempts: Int(row.integer(6)),
      kind: Kind(rawValue: row.integer(7)) ?? .notice,
      endsAt: row.isNull(8) ? nil : row.integer(8))
  }
}

extension RegistryTables {
  /// The tables of mails and of the codes in mails, added with layout 7. The column `notice`
  /// contains the raw value of the mail's ``WaitingMail/Kind``.
  static func mail(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE mails (
      id \(dialect.text) PRIMARY KEY,
      recipient \(dialect.text) NOT NULL,
      mailbox \(dialect.text) NOT NULL,
      subject \(dialect.text) NOT NULL,
      body \(dialect.bytes) NOT NULL,
      created_at BIGINT NOT NULL,
      next_at BIGINT,
      attempts BIGINT NOT NULL,
      notice BIGINT NOT NULL,
      ends_at BIGINT);
    CREATE INDEX mails_waiting ON mails (notice, next_at, id) WHERE next_at IS NOT NULL;
    CREATE INDEX mails_of_mailbox ON mails (mailbox, created_at);
    CREATE INDEX mails_by_time ON mails (created_at);
    CREATE TABLE mail_codes (
      hash \(dialect.bytes) NOT NULL PRIMARY KEY,
      purpose \(dialect.text) NOT NULL,
      email \(dialect.text) NOT NULL,
      browser \(dialect.bytes),
      ends_at BIGINT NOT NULL);
    CREATE INDEX mail_codes_of_address ON mail_codes (email, purpose);
    """
  }
}

private enum MailStatements {
  static let insert = SQLStatement(
    """
    INSERT INTO mails (
      id, recipient, mailbox, subject, body, created_at, next_at, attempts, notice, ends_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let countOfMailbox = SQLStatement(
    "SELECT COUNT(*) FROM mails WHERE mailbox = ? AND created_at >= ? AND notice = ?")
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM mails WHERE created_at >= ? AND notice = ?")
  static let due = SQLStatement(
    """
    SELECT id, recipient, subject, body, created_at, next_at, attempts, notice, ends_at FROM mails
    WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY notice, next_at, id LIMIT ?
    """)
  static let lease = SQLStatement(
    "UPDATE mails SET next_at = ?, attempts = attempts + 1 WHERE id = ?")
  static let postpone = SQLStatement(
    "UPDATE mails SET next_at = ? WHERE id = ? AND next_at IS NOT NULL")
  static let finish = SQLStatement("UPDATE mails SET next_at = NULL, body = ? WHERE id = ?")
  static let deleteOld = SQLStatement(
    "DELETE FROM mails WHERE created_at < ? AND next_at IS NULL")
}

private enum MailCodeStatements {
  static let insert = SQLStatement(
    """
    INSERT INTO mail_codes (hash, purpose, email, browser, account, ends_at)
    VALUES (?, ?, ?, ?, ?, ?)
    """)
  static let deleteOfBrowser = SQLStatement(
    "DELETE FROM mail_codes WHERE email = ? AND purpose = ? AND browser = ?")
  static let deleteOfAnyBrowser = SQLStatement(
    "DELETE FROM mail_codes WHERE email = ? AND purpose = ? AND browser IS NULL")
  static let deleteOfAccount = SQLStatement(
    "DELETE FROM mail_codes WHERE email = (SELECT email FROM accounts WHERE id = ?)")
  static let find = SQLStatement(
    "SELECT purpose, email, browser, account, ends_at FROM mail_codes WHERE hash = ?")
  static let delete = SQLStatement("DELETE FROM mail_codes WHERE hash = ?")
  static let deleteOld = SQLStatement("DELETE FROM mail_codes WHERE ends_at < ?")
}
