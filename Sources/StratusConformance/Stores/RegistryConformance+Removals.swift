import StratusDomain
import StratusWire

/// The checks of deletions of accounts.
extension RegistryConformance {
  private static func removal(_ id: String, of account: String, at time: Int64) -> AccountRemoval {
    AccountRemoval(
      receipt: RemovalReceipt(
        id: id, accountID: account, publicRecords: .delete, begunAt: time))
  }

  private static let entry = AuditEntry(
    time: 5, actor: .user, action: "accounts/delete", accountID: "1", subject: "receipt r")

  /// When the deletion begins, everything that allows a sign-in to the account is removed. When the
  /// deletion ends, the account itself is removed.
  static func removalsAreDone(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    try await registry.create(
      Session(
        id: "s", accountID: "1", store: production, createdAt: 1, lastUsedAt: 1, endsAt: 9))
    try await registry.keep(
      ContainerUser(container: "iCloud.org.example", userRecordName: "_ann", accountID: "1"))
    var begun = removal("r", of: "1", at: 5)
    guard case .begun(let first) = try await registry.beginRemoval(begun, entry: entry) else {
      throw ConformanceFailure(description: "the deletion does not begin")
    }
    begun.receipt.counts = ["sessions": 1]
    try expect(first, begun)
    try expect(try await registry.sessions().count, 0)
    try expect(try await registry.account(id: "1")?.isDisabled, true)
    try expect(try await registry.setDisabled(false, accountID: "1"), false)
    try expect(try await registry.closedAccounts(), ["1"])
    let logged = try await registry.auditEntries(ofAccount: "1", before: nil, limit: 9)
    try expect(logged.map(\.subject), ["receipt r"])
    // A second attempt to delete the account returns the deletion that has already begun.
    let again = try await registry.beginRemoval(removal("x", of: "1", at: 6), entry: entry)
    try expect(again, .begun(first))

    var step = first
    step.lastStore = production
    step.progress = UserRemovalProgress(publicAfter: 3, publicThrough: 7)
    step.receipt.counts["records"] = 4
    guard let saved = try await registry.save(step) else {
      throw ConformanceFailure(description: "a step is not saved")
    }
    try expect(saved.step, 1)
    try expect(try await registry.save(step), nil)
    try expect(try await registry.openRemovals(limit: 9), [saved])
    try expect(try await registry.users(ofAccount: "1").map(\.userRecordName), ["_ann"])

    guard let ended = try await registry.finish(saved, at: 8) else {
      throw ConformanceFailure(description: "the deletion does not end")
    }
    try expect(ended.receipt.endedAt, 8)
    try expect(ended.receipt.counts, ["sessions": 1, "records": 4])
    try expect(try await registry.account(id: "1"), nil)
    try expect(try await registry.openRemovals(limit: 9), [ended])
    try expect(try await registry.users(ofAccount: "1").count, 1)
    var checked = ended
    checked.isChecked = true
    _ = try await registry.save(checked)
    try expect(try await registry.users(ofAccount: "1"), [])
    try expect(try await registry.openRemovals(limit: 9), [])
    try expect(try await registry.removal(id: "r")?.receipt, ended.receipt)
    try expect(try await registry.removals(limit: 9).map(\.receipt.id), ["r"])
    try await registry.deleteRemovals(endedBefore: 8)
    try expect(try await registry.removal(id: "r")?.receipt, ended.receipt)
    try await registry.deleteRemovals(endedBefore: 9)
    try expect(try await registry.removal(id: "r"), nil)
  }

  static func lastOwnersAreNotRemoved(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    _ = try await registry.addFirstOwner(accountID: "1", at: 1)
    try expect(
      try await registry.beginRemoval(removal("r", of: "1", at: 5), entry: entry), .lastOwner)
    try expect(try await registry.account(id: "1"), ann)
    try expect(
      try await registry.beginRemoval(removal("r", of: "9", at: 5), entry: entry), .noAccount)
    try expect(try await registry.auditEntries(ofAccount: nil, before: nil, limit: 9), [])
  }

  /// A user cannot change a restriction by the operator.
  static func usersRestrictThemselves(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    try expect(
      try await registry.setRestrictedByUser(true, accountID: "1", entry: entry), true)
    try expect(
      try await registry.setRestrictedByUser(true, accountID: "1", entry: entry), false)
    var restricted = ann
    (restricted.isRestricted, restricted.isRestrictedByUser) = (true, true)
    try expect(try await registry.account(id: "1"), restricted)
    try expect(try await registry.closedAccounts(), ["1"])
    try expect(
      try await registry.setRestrictedByUser(false, accountID: "1", entry: entry), true)
    try expect(try await registry.account(id: "1"), ann)
    _ = try await registry.setRestricted(true, accountID: "1")
    try expect(
      try await registry.setRestrictedByUser(false, accountID: "1", entry: entry), false)
    try expect(try await registry.account(id: "1")?.isRestrictedByUser, false)
    let logged = try await registry.auditEntries(ofAccount: "1", before: nil, limit: 9)
    try expect(logged.count, 2)
  }

  static func credentialsAreRemoved(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    let password = StoredPassword(accountID: "1", hash: "$scrypt$", changedAt: 1)
    _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
    let entry = RemovalEntry(time: 5, kind: .password, subject: "1")
    try expect(try await registry.removeCredential(entry), true)
    try expect(try await registry.removeCredential(entry), false)
    try expect(try await registry.password(ofAccount: "1"), nil)
    for kind in RemovalEntry.Kind.allCases {
      let other = RemovalEntry(time: 5, kind: kind, subject: "0102", detail: "none")
      try expect(try await registry.removeCredential(other), false)
    }
  }
}
