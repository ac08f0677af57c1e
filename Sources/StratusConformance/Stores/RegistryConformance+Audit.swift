import StratusDomain
import StratusWire

/// The checks of the audit log and of restricted accounts.
extension RegistryConformance {
  static func accountsAreRestricted(_ registry: any Registry) async throws {
    for account in [ann, bob] { _ = try await registry.create(account) }
    var versions = [try await registry.version()]
    for isRestricted in [true, true, false] {
      try expect(try await registry.setRestricted(isRestricted, accountID: ann.id), true)
      let account = try await registry.account(id: ann.id)
      try expect(account?.isRestricted, isRestricted)
      try expect(account?.isDisabled, false)
      try expect(
        try await registry.closedAccounts().sorted(), isRestricted ? [ann.id, bob.id] : [bob.id])
      versions.append(try await registry.version())
    }
    try expect(versions, Set(versions).sorted())
    try expect(try await registry.setRestricted(true, accountID: "missing"), false)
  }

  private static func entry(_ time: Int64, of account: String? = nil) -> AuditEntry {
    AuditEntry(time: time, actor: .operator, action: "accounts/disable", accountID: account)
  }

  static func auditEntriesAreListed(_ registry: any Registry) async throws {
    try expect(try await registry.auditEntries(ofAccount: nil, before: nil, limit: 9), [])
    let full = AuditEntry(
      time: 3, actor: .member(email: "bob@example.org"), action: "api-tokens/create",
      accountID: "1", store: AuditStore(container: "iCloud.a", environment: "production"),
      subject: "Zoë's token")
    let short = AuditEntry(
      time: 4, actor: .user, action: "account-page",
      store: AuditStore(container: "iCloud.a", environment: nil))
    for entry in [entry(1, of: "1"), entry(2, of: "2"), full, short] {
      try await registry.append(entry)
    }
    let all = try await registry.auditEntries(ofAccount: nil, before: nil, limit: 9)
    try expect(all.map(\.time), [4, 3, 2, 1])
    try expect(all.map(\.number), all.map(\.number).sorted().reversed())
    for (kept, written) in zip(all, [short, full]) {
      var kept = kept
      kept.number = 0
      try expect(kept, written)
    }
    let ofOne = try await registry.auditEntries(ofAccount: "1", before: nil, limit: 9)
    try expect(ofOne.map(\.time), [3, 1])
    let byOthers = try await registry.auditEntries(
      ofAccount: nil, byOthersOnly: true, before: nil, limit: 9)
    try expect(byOthers.map(\.time), [3, 2, 1])
    let page = try await registry.auditEntries(ofAccount: nil, before: all[0].number, limit: 2)
    try expect(page.map(\.time), [3, 2])
  }

  static func auditEntriesAreRemoved(_ registry: any Registry) async throws {
    for time: Int64 in 1...4 { try await registry.append(entry(time)) }
    try await registry.deleteAuditEntries(before: 3)
    try await registry.append(entry(5))
    let all = try await registry.auditEntries(ofAccount: nil, before: nil, limit: 9)
    try expect(all.map(\.time), [5, 4, 3])
  }
}
