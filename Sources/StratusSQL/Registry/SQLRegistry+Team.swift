public import StratusDomain
import StratusWire

extension SQLRegistry {
  public func addFirstOwner(
    accountID: String, at time: Int64
  ) async throws(ServerError) -> Bool {
    try await engine.write { (registry) throws(ServerError) -> Bool in
      let others = try registry.connection.first(TeamStatements.otherOwners, [.text("")]) {
        $0.integer(0)
      }
      guard others ?? 0 == 0 else { return false }
      let owner = TeamMember(accountID: accountID, role: .owner, addedAt: time)
      try registry.connection.execute(TeamStatements.keep, owner.values)
      return true
    }
  }

  public func keep(_ member: TeamMember) async throws(ServerError) -> TeamChange {
    try await engine.write { (registry) throws(ServerError) -> TeamChange in
      if member.role != .owner, try registry.isLastOwner(member.accountID) { return .lastOwner }
      try registry.connection.execute(TeamStatements.keep, member.values)
      return .made
    }
  }

  public func teamMember(accountID: String) async throws(ServerError) -> TeamMember? {
    try await engine.read { (registry) throws(ServerError) in
      try registry.member(accountID)
    }
  }

  public func teamMembers() async throws(ServerError) -> [TeamMember] {
    let rows = try await engine.read { (registry) throws(ServerError) in
      try registry.connection.all(TeamStatements.list, [], TeamRow.init(row:))
    }
    var members: [TeamMember] = []
    for row in rows { members.append(try row.member()) }
    return members
  }

  public func removeMember(accountID: String) async throws(ServerError) -> TeamChange {
    try await engine.write { (registry) throws(ServerError) -> TeamChange in
      if try registry.isLastOwner(accountID) { return .lastOwner }
      let count = try registry.connection.execute(TeamStatements.delete, [.text(accountID)])
      return count == 1 ? .made : .absent
    }
  }

  public func touchMember(accountID: String, at time: Int64) async throws(ServerError) {
    try await engine.write { (registry) throws(ServerError) in
      _ = try registry.connection.execute(
        TeamStatements.touch, [.integer(time), .text(accountID)])
    }
  }
}

extension RegistrySession {
  fileprivate func member(_ accountID: String) throws(ServerError) -> TeamMember? {
    try connection.first(TeamStatements.find, [.text(accountID)], TeamRow.init(row:))?.member()
  }

  func isLastOwner(_ accountID: String) throws(ServerError) -> Bool {
    guard try member(accountID)?.role == .owner else { return false }
    let others = try connection.first(TeamStatements.otherOwners, [.text(accountID)]) {
      $0.integer(0)
    }
    return others ?? 0 == 0
  }
}

extension RegistryTables {
  /// The table of the team, added with layout 6.
  static func team(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE team (
      account \(dialect.text) PRIMARY KEY,
      role \(dialect.text) NOT NULL,
      containers \(dialect.text),
      added_at BIGINT NOT NULL,
      last_used_at BIGINT);
    """
  }
}

/// A row of the table of the team.
private struct TeamRow {
  let accountID: String
  let role: String
  /// The containers, separated by spaces. No container ID has a space.
  let containers: String?
  let addedAt: Int64
  let lastUsedAt: Int64?

  init(row: any SQLRow) {
    accountID = row.text(0)
    role = row.text(1)
    containers = row.optionalText(2)
    addedAt = row.integer(3)
    lastUsedAt = row.isNull(4) ? nil : row.integer(4)
  }

  /// - Throws: `INTERNAL_ERROR` if this version does not know the role.
  func member() throws(ServerError) -> TeamMember {
    guard let role = TeamRole(rawValue: role) else {
      throw .fault("an unknown team role is registered", facts: ["role": role])
    }
    return TeamMember(
      accountID: accountID, role: role,
      containers: containers.map { $0.split(separator: " ").map(String.init) },
      addedAt: addedAt, lastUsedAt: lastUsedAt)
  }
}

extension TeamMember {
  fileprivate var values: [SQLValue] {
    [
      .text(accountID), .text(role.rawValue),
      containers.map { .text($0.sorted().joined(separator: " ")) } ?? .null,
      .integer(addedAt), lastUsedAt.map { .integer($0) } ?? .null,
    ]
  }
}

private enum TeamStatements {
  private static let columns = "account, role, containers, added_at, last_used_at"
  /// NB: the time of joining stays, because a change of the role does not make a new member.
  static let keep = SQLStatement(
    """
    INSERT INTO team (\(columns)) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET role = excluded.role, containers = excluded.containers
    """)
  static let find = SQLStatement("SELECT \(columns) FROM team WHERE account = ?")
  static let list = SQLStatement("SELECT \(columns) FROM team ORDER BY added_at, account")
  static let otherOwners = SQLStatement(
    "SELECT COUNT(*) FROM team WHERE role = 'owner' AND account <> ?")
  static let touch = SQLStatement("UPDATE team SET last_used_at = ? WHERE account = ?")
  static let delete = SQLStatement("DELETE FROM team WHERE account = ?")
}
