public import StratusDomain

extension SQLRegistry {
  public func append(_ entry: AuditEntry) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in try session.append(entry) }
  }

  public func auditEntries(
    ofAccount accountID: String?, byOthersOnly: Bool, before number: Int64?, limit: Int
  ) async throws(ServerError) -> [AuditEntry] {
    try await engine.read { (session) throws(ServerError) in
      let end = SQLValue.integer(number ?? .max)
      let count = SQLValue.integer(Int64(limit))
      if let accountID {
        return try session.connection.all(
          AuditStatements.ofAccount, [.text(accountID), .flag(!byOthersOnly), end, count],
          AuditEntry.init(row:))
      }
      return try session.connection.all(
        AuditStatements.all, [.flag(!byOthersOnly), end, count], AuditEntry.init(row:))
    }
  }

  public func deleteAuditEntries(before time: Int64) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(AuditStatements.delete, [.integer(time)])
    }
  }
}

extension RegistrySession {
  /// Stores an entry of the audit log in this transaction.
  func append(_ entry: AuditEntry) throws(ServerError) {
    try connection.execute(AuditStatements.insert, entry.values)
  }
}

extension RegistryTables {
  /// The audit log and the mark of restricted accounts, added with layout 11.
  static func audit(_ dialect: SQLDialect) -> String {
    """
    ALTER TABLE accounts ADD COLUMN restricted BIGINT NOT NULL DEFAULT 0;
    CREATE TABLE audit (
      number BIGINT PRIMARY KEY,
      at BIGINT NOT NULL,
      actor \(dialect.text) NOT NULL,
      member \(dialect.text),
      action \(dialect.text) NOT NULL,
      account \(dialect.text),
      container \(dialect.text),
      environment \(dialect.text),
      subject \(dialect.text) NOT NULL);
    CREATE INDEX audit_by_account ON audit (account, number);
    CREATE INDEX audit_by_time ON audit (at);
    """
  }
}

extension AuditEntry {
  fileprivate init(row: any SQLRow) {
    let actor: AuditActor =
      switch row.text(2) {
      case "member": .member(email: row.optionalText(3) ?? "")
      case "user": .user
      default: .operator
      }
    let container = row.optionalText(6)
    self.init(
      number: row.integer(0), time: row.integer(1), actor: actor, action: row.text(4),
      accountID: row.optionalText(5),
      store: container.map { AuditStore(container: $0, environment: row.optionalText(7)) },
      subject: row.text(8))
  }

  /// The values of all columns except the number.
  fileprivate var values: [SQLValue] {
    let (name, member): (String, String?) =
      switch actor {
      case .operator: ("operator", nil)
      case .member(let email): ("member", email)
      case .user: ("user", nil)
      }
    return [
      .integer(time), .text(name), .optional(member), .text(action), .optional(accountID),
      .optional(store?.container), .optional(store?.environment), .text(subject),
    ]
  }
}

private enum AuditStatements {
  private static let columns =
    "number, at, actor, member, action, account, container, environment, subject"
  static let insert = SQLStatement(
    """
    INSERT INTO audit (\(columns))
    SELECT COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM audit
    """)
  static let all = SQLStatement(
    """
    SELECT \(columns) FROM audit WHERE (actor <> 'user' OR 1 = ?) AND number < ?
    ORDER BY number DESC LIMIT ?
    """)
  static let ofAccount = SQLStatement(
    """
    SELECT \(columns) FROM audit
    WHERE account = ? AND (actor <> 'user' OR 1 = ?) AND number < ?
    ORDER BY number DESC LIMIT ?
    """)
  static let delete = SQLStatement("DELETE FROM audit WHERE at < ?")
}
