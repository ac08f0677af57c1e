import StratusDomain

extension RegistryConformance {
  private static func link(_ subject: String, of accountID: String = "1") -> ProviderLink {
    ProviderLink(
      issuer: "https://id.example", subject: subject, accountID: accountID,
      email: "ann@example.org", createdAt: Int64(subject.utf8.count))
  }

  static func linksAreKept(_ registry: any Registry) async throws {
    func create(
      _ link: ProviderLink, _ account: Account? = nil
    ) async throws -> Bool {
      try await registry.create(link, creating: account, countMax: 2)
    }
    func delete(_ subject: String, of account: String = "1") async throws -> CredentialRemoval {
      try await registry.deleteProviderLink(
        issuer: "https://id.example", subject: subject, ofAccount: account, keepingSession: nil)
    }
    try expect(try await create(link("a"), ann), true)
    try expect(try await registry.account(email: ann.email), ann)
    // A provider's user and an e-mail address each belong to only one account.
    try expect(try await create(link("a", of: "2")), false)
    try expect(
      try await create(
        link("b", of: "9"), Account(id: "9", email: ann.email, isDisabled: false)), false)
    try expect(try await registry.providerLink(issuer: "https://id.example", subject: "b"), nil)
    try expect(try await create(link("bb")), true)
    try expect(try await create(link("ccc")), false)
    try expect(try await registry.providerLinks(ofAccount: "1"), [link("a"), link("bb")])
    try expect(
      try await registry.providerLink(issuer: "https://id.example", subject: "a"), link("a"))
    try expect(
      try await registry.providerLink(issuer: "https://other.example", subject: "a"), nil)
    let session = BrowserSession(
      hash: [1], accountID: "1", createdAt: 1, lastUsedAt: 1, endsAt: 9, isKept: false,
      browser: "")
    let proof = SignInProof.provider(issuer: "https://id.example", subject: "a")
    try expect(try await registry.create(session, provenBy: proof, countMax: 9), true)
    try expect(try await delete("a", of: "2"), .unknown)
    try expect(try await delete("a"), .removed)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
    try expect(try await registry.create(session, provenBy: proof, countMax: 9), false)
    try expect(try await delete("bb"), .isLast)
    let password = StoredPassword(accountID: "1", hash: "$a$", changedAt: 1)
    _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
    try expect(try await delete("bb"), .removed)
  }
}
