import StratusDomain

extension RegistryConformance {
  private static func passkey(_ number: UInt8, of accountID: String = "1") -> Passkey {
    Passkey(
      id: [0, number, 255], accountID: accountID, name: "Key \(number)", publicKey: [number, 0],
      host: "cloud.example.org", signCount: 5, isBackupEligible: true, isBackedUp: false,
      createdAt: Int64(number))
  }

  private static func browser(_ number: UInt8) -> BrowserSession {
    BrowserSession(
      hash: [number], accountID: "1", createdAt: 1, lastUsedAt: 1, endsAt: 9, isKept: false,
      browser: "")
  }

  static func passkeysAreKept(_ registry: any Registry) async throws {
    for number in [UInt8(2), 1, 3] {
      try expect(try await registry.create(passkey(number), countMax: 3), true)
    }
    // No two passkeys have the same ID, even in different accounts. The number of passkeys of an
    // account is limited.
    try expect(try await registry.create(passkey(1, of: "2"), countMax: 3), false)
    try expect(try await registry.create(passkey(4), countMax: 3), false)
    try expect(try await registry.passkey(id: passkey(1).id), passkey(1))
    try expect(try await registry.passkey(id: [9]), nil)
    try expect(
      try await registry.passkeys(ofAccount: "1"), [passkey(1), passkey(2), passkey(3)])
    try expect(try await registry.passkeys(ofAccount: "2"), [])
    // The stored number of signatures never decreases.
    var used = passkey(1)
    for (count, kept) in [(7, 7), (6, 7), (0, 7), (8, 8)] as [(Int64, Int64)] {
      used.signCount = kept
      used.isBackedUp = count == 7
      used.isSuspect = count == 0
      used.lastUsedAt = count + 100
      try expect(
        try await registry.usePasskey(
          id: used.id, signCount: count, isBackedUp: used.isBackedUp, isSuspect: used.isSuspect,
          at: count + 100), true)
      try expect(try await registry.passkey(id: used.id), used)
    }
    try expect(
      try await registry.usePasskey(
        id: [9], signCount: 1, isBackedUp: false, isSuspect: false, at: 1), false)
    for (account, isOwn) in [("2", false), ("1", true)] {
      try expect(
        try await registry.rename(passkey: used.id, ofAccount: account, to: "Phone"), isOwn)
    }
    try expect(try await registry.passkey(id: used.id)?.name, "Phone")
  }

  static func lastCredentialsStay(_ registry: any Registry) async throws {
    let password = StoredPassword(accountID: "1", hash: "$a$", changedAt: 1)
    _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
    func deletePasskey(_ number: UInt8, of account: String = "1") async throws -> CredentialRemoval
    {
      try await registry.deletePasskey(
        id: passkey(number).id, ofAccount: account, keepingSession: [1])
    }
    func deletePassword() async throws -> CredentialRemoval {
      try await registry.deletePassword(ofAccount: "1", keepingSession: nil)
    }
    try expect(try await deletePassword(), .isLast)
    for number in [UInt8(1), 2] {
      _ = try await registry.create(passkey(number), countMax: 9)
      try expect(
        try await registry.create(
          browser(number), provenBy: .passkey(id: passkey(number).id), countMax: 9), true)
    }
    try expect(try await deletePasskey(1, of: "2"), .unknown)
    try expect(try await deletePasskey(9), .unknown)
    try expect(try await deletePasskey(1), .removed)
    // The other sessions of the account end, and the removed passkey cannot open new ones.
    try expect(try await registry.browserSessions(ofAccount: "1").map(\.hash), [[1]])
    try expect(
      try await registry.create(
        browser(3), provenBy: .passkey(id: passkey(1).id), countMax: 9), false)
    try expect(try await deletePassword(), .removed)
    try expect(try await registry.password(ofAccount: "1"), nil)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
    try expect(try await deletePassword(), .unknown)
    try expect(try await deletePasskey(2), .isLast)
    try expect(try await registry.passkeys(ofAccount: "1"), [passkey(2)])
  }
}
