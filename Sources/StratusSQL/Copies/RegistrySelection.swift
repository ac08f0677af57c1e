public import StratusDomain

/// The rows of a registry that belong to some of its containers.
///
/// An account belongs to a container if it has a user, a session, or a limited role in the team
/// there. `docs/internals/nodes.md` lists the decision for each table, and its reason.
public struct RegistrySelection: Sendable {
  /// The rows of a table that belong to a container.
  enum Rule: Sendable {
    case all, omitted
    /// The rows whose column names one of the containers.
    case ofContainer(column: String)
    /// The rows whose column names an account of the containers.
    case ofAccount(column: String)
    /// The entries of the audit log that name one of the containers, and no account that does not
    /// belong to the containers.
    case auditEntries
    /// The members of the team who are limited to some containers. Their rights are limited to the
    /// copied ones.
    case limitedMembers
  }

  /// The rules for all tables. A table without a rule cannot be copied in part.
  static let rules: [String: Rule] = [
    "registry": .all,
    "containers": .ofContainer(column: "id"),
    "stores": .ofContainer(column: "container"),
    "users": .ofContainer(column: "container"),
    "api_tokens": .ofContainer(column: "container"),
    "server_keys": .ofContainer(column: "container"),
    "sessions": .ofContainer(column: "container"),
    "audit": .auditEntries,
    "accounts": .ofAccount(column: "id"),
    "passwords": .ofAccount(column: "account"),
    "passkeys": .ofAccount(column: "account"),
    "factors": .ofAccount(column: "account"),
    "recovery_codes": .ofAccount(column: "account"),
    "provider_links": .ofAccount(column: "account"),
    "profiles": .ofAccount(column: "account"),
    "phones": .ofAccount(column: "account"),
    "addresses": .ofAccount(column: "account"),
    "test_accounts": .ofAccount(column: "account"),
    "team": .limitedMembers,
    "browser_sessions": .omitted,
    "sign_in_steps": .omitted,
    "consents": .omitted,
    "mails": .omitted,
    "mail_codes": .omitted,
    "account_removals": .omitted,
    "secrets": .omitted,
    // The source keeps its ID. The first server on the copy draws another one.
    "installation": .omitted,
    // The table is empty, because the copy is refused otherwise.
    "pending_removals": .omitted,
  ]

  private let containers: Set<String>
  /// The IDs of the accounts that belong to the containers.
  private let accounts: Set<String>

  /// Reads which accounts belong to the containers. Their IDs stay in memory.
  ///
  /// - Throws: `INTERNAL_ERROR` if the registry lacks a container, if removals after a restored
  ///   backup are not applied yet, or if the deletion of one of the accounts is not complete. No
  ///   server would continue the deletion in the copy.
  public init(
    of containers: Set<String>, on connection: any SQLConnection
  ) throws(ServerError) {
    let known = Set(try connection.all(SelectionStatements.containers, []) { $0.text(0) })
    if let missing = containers.subtracting(known).sorted().first {
      var error = ServerError.fault("there is no container \(missing)")
      error.hint = "'stratus container list' shows the containers of a server"
      throw error
    }
    let isRestored = try connection.first(SelectionStatements.pendingRemoval, []) { _ in true }
    if isRestored == true { throw Self.unappliedRemovals }
    var accounts: Set<String> = []
    for container in containers {
      for statement in [SelectionStatements.users, SelectionStatements.sessions] {
        accounts.formUnion(try connection.all(statement, [.text(container)]) { $0.text(0) })
      }
    }
    let members = try connection.all(SelectionStatements.members, []) {
      (account: $0.text(0), containers: $0.text(1))
    }
    for member in members where Self.limit(member.containers, to: containers) != nil {
      accounts.insert(member.account)
    }
    let removed = try connection.all(SelectionStatements.unfinishedRemovals, []) { $0.text(0) }
    if !accounts.isDisjoint(with: removed) {
      var error = ServerError.fault("accounts of the containers are being deleted")
      error.hint = """
        start a server on the source, and wait until the deletions are complete; 'stratus account \
        receipts' shows them
        """
      throw error
    }
    self.containers = containers
    self.accounts = accounts
  }

  /// Removals after a restored backup are not applied yet. An entry may concern several containers,
  /// so it is not known which ones the copy needs.
  public static var unappliedRemovals: ServerError {
    var error = ServerError.fault("the removals after the restored backup are not applied yet")
    error.hint = "start and stop a server on the source first, so that it applies them"
    return error
  }

  /// Returns a row as the copy contains it, or nil if the row is left out.
  ///
  /// - Throws: `INTERNAL_ERROR` if there is no rule for the table.
  func row(_ values: [SQLValue], of table: CopiedTable) throws(ServerError) -> [SQLValue]? {
    guard let rule = Self.rules[table.name] else { throw Self.undecided(table) }
    switch rule {
    case .all: return values
    case .omitted: return nil
    case .ofContainer(let column):
      return try isNamed(by: values, column, of: table, in: containers) ? values : nil
    case .ofAccount(let column):
      return try isNamed(by: values, column, of: table, in: accounts) ? values : nil
    case .auditEntries:
      guard try isNamed(by: values, "container", of: table, in: containers) else { return nil }
      let account = values[try Self.position(of: "account", in: table)]
      if case .null = account { return values }
      return try isNamed(by: values, "account", of: table, in: accounts) ? values : nil
    case .limitedMembers:
      let position = try Self.position(of: "containers", in: table)
      guard case .text(let list) = values[position],
        let limited = Self.limit(list, to: containers)
      else { return nil }
      var values = values
      values[position] = .text(limited)
      return values
    }
  }

  private func isNamed(
    by values: [SQLValue], _ column: String, of table: CopiedTable, in names: Set<String>
  ) throws(ServerError) -> Bool {
    guard case .text(let name) = values[try Self.position(of: column, in: table)] else {
      return false
    }
    return names.contains(name)
  }

  private static func position(
    of column: String, in table: CopiedTable
  ) throws(ServerError) -> Int {
    guard let position = table.columns.firstIndex(where: { $0.name == column }) else {
      throw undecided(table)
    }
    return position
  }

  /// Returns those containers of a member's list that are copied, or nil if there are none.
  ///
  /// - Parameter list: IDs, separated by spaces.
  private static func limit(_ list: String, to containers: Set<String>) -> String? {
    let limited = list.split(separator: " ").filter { containers.contains(String($0)) }
    return limited.isEmpty ? nil : limited.joined(separator: " ")
  }

  private static func undecided(_ table: CopiedTable) -> ServerError {
    .fault(
      "it is not known which rows of a table belong to a container",
      facts: ["table": table.name])
  }
}

private enum SelectionStatements {
  static let containers = SQLStatement("SELECT id FROM containers")
  static let users = SQLStatement("SELECT account FROM users WHERE container = ?")
  static let sessions = SQLStatement("SELECT DISTINCT account FROM sessions WHERE container = ?")
  static let members = SQLStatement(
    "SELECT account, containers FROM team WHERE containers IS NOT NULL")
  static let unfinishedRemovals = SQLStatement(
    "SELECT account FROM account_removals WHERE checked = 0")
  static let pendingRemoval = SQLStatement("SELECT number FROM pending_removals LIMIT 1")
}
