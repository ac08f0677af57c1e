public import StratusWire

/// An account with a role in the server's team.
public struct TeamMember: Sendable, Hashable {
  public var accountID: String
  public var role: TeamRole
  /// The containers that exist for the member, or nil for all. They are sorted.
  public var containers: [String]?
  /// The time when the member was added, in milliseconds since 1970 UTC.
  public var addedAt: Int64
  /// The time of the member's last request to the console, accurate to the minute, or nil if there
  /// was none.
  public var lastUsedAt: Int64?

  public init(
    accountID: String, role: TeamRole, containers: [String]? = nil, addedAt: Int64,
    lastUsedAt: Int64? = nil
  ) {
    self.accountID = accountID
    self.role = role
    self.containers = containers
    self.addedAt = addedAt
    self.lastUsedAt = lastUsedAt
  }
}

/// The result of a change of the team.
public enum TeamChange: Sendable, Hashable {
  case made
  /// The account is not in the team, so nothing has changed.
  case absent
  /// The change would leave the team without an owner, so nothing has changed.
  case lastOwner
}

/// Stores the server's team. A team that had an owner once always has one.
public protocol TeamRegistry: Sendable {
  /// Adds an owner, unless the team has one.
  ///
  /// - Returns: whether the owner was added.
  func addFirstOwner(accountID: String, at time: Int64) async throws(ServerError) -> Bool
  /// Stores a member. If the account is in the team already, its role and containers are replaced.
  ///
  /// - Returns: never ``TeamChange/absent``.
  func keep(_ member: TeamMember) async throws(ServerError) -> TeamChange
  func teamMember(accountID: String) async throws(ServerError) -> TeamMember?
  /// Returns the members in the order in which they were added.
  func teamMembers() async throws(ServerError) -> [TeamMember]
  func removeMember(accountID: String) async throws(ServerError) -> TeamChange
  /// Stores that a member used the console.
  func touchMember(accountID: String, at time: Int64) async throws(ServerError)
}
