import StratusDomain
import StratusWire

/// The checks of the team.
extension RegistryConformance {
  private static func member(
    _ account: String, _ role: TeamRole, in containers: [String]? = nil, at time: Int64 = 1
  ) -> TeamMember {
    TeamMember(accountID: account, role: role, containers: containers, addedAt: time)
  }

  static func firstOwnersAreUnique(_ registry: any Registry) async throws {
    try expect(try await registry.keep(member("3", .auditor)), .made)
    try expect(try await registry.addFirstOwner(accountID: "1", at: 5), true)
    try expect(try await registry.addFirstOwner(accountID: "2", at: 6), false)
    try expect(try await registry.addFirstOwner(accountID: "1", at: 7), false)
    try expect(try await registry.teamMember(accountID: "1"), member("1", .owner, at: 5))
    try expect(try await registry.teamMember(accountID: "2"), nil)
  }

  static func membersAreKept(_ registry: any Registry) async throws {
    try expect(try await registry.teamMembers(), [])
    let (owner, developer) = (member("1", .owner), member("2", .developer, in: ["a", "b"], at: 2))
    try expect(try await registry.keep(developer), .made)
    try expect(try await registry.keep(owner), .made)
    try expect(try await registry.teamMembers(), [owner, developer])
    try await registry.touchMember(accountID: "2", at: 9)
    // The time of joining and the last use stay when the role changes.
    try expect(try await registry.keep(member("2", .operator, in: [], at: 50)), .made)
    var changed = member("2", .operator, in: [], at: 2)
    changed.lastUsedAt = 9
    try expect(try await registry.teamMember(accountID: "2"), changed)
    try expect(try await registry.removeMember(accountID: "2"), .made)
    try expect(try await registry.removeMember(accountID: "2"), .absent)
    try expect(try await registry.teamMembers(), [owner])
  }

  static func lastOwnersStay(_ registry: any Registry) async throws {
    try expect(try await registry.keep(member("1", .owner)), .made)
    try expect(try await registry.keep(member("1", .developer)), .lastOwner)
    try expect(try await registry.removeMember(accountID: "1"), .lastOwner)
    try expect(try await registry.keep(member("2", .owner, at: 2)), .made)
    try expect(try await registry.keep(member("1", .developer)), .made)
    try expect(try await registry.removeMember(accountID: "2"), .lastOwner)
  }
}
