import StratusDomain
import StratusWire

/// The checks of codes of consent and of test accounts.
extension RegistryConformance {
  private static func consent(_ number: UInt8, of account: String = "1") -> StoredConsent {
    StoredConsent(
      hash: [number], accountID: account, createdAt: Int64(number), endsAt: Int64(number) + 100)
  }

  static func consentsEnd(_ registry: any Registry) async throws {
    try await registry.add(consent(1), max: 3)
    try expect(try await registry.useConsent(hash: [2], at: 5), nil)
    try expect(try await registry.consents(ofAccount: "1", at: 100), [consent(1)])
    var used = consent(1)
    used.usedAt = 100
    try expect(try await registry.useConsent(hash: [1], at: 100), used)
    try expect(try await registry.consents(ofAccount: "1", at: 100), [used])
    try expect(try await registry.useConsent(hash: [1], at: 101), nil)
    try expect(try await registry.consents(ofAccount: "1", at: 101), [])
    try expect(try await registry.consents(ofAccount: "2", at: 5), [])
  }

  static func consentsAreBounded(_ registry: any Registry) async throws {
    for number in 1...5 { try await registry.add(consent(UInt8(number)), max: 3) }
    try await registry.add(consent(6, of: "2"), max: 3)
    try expect(
      try await registry.consents(ofAccount: "1", at: 6), [consent(5), consent(4), consent(3)])
    try await registry.deleteConsents(ofAccount: "1")
    try expect(try await registry.consents(ofAccount: "1", at: 6), [])
    try expect(try await registry.consents(ofAccount: "2", at: 6), [consent(6, of: "2")])
  }

  static func testAccountsAreMarked(_ registry: any Registry) async throws {
    let person = Account(id: "1", email: "anna@example.org", isDisabled: false)
    let test = Account(id: "2", email: "test@example.org", isDisabled: false)
    try expect(try await registry.create(person), true)
    try expect(try await registry.createTestAccount(test), true)
    try expect(try await registry.testAccounts(), ["2"])
    try expect(try await registry.account(email: "test@example.org"), test)
    // A test account cannot have the e-mail address of an existing account.
    var again = person
    again.id = "3"
    try expect(try await registry.createTestAccount(again), false)
    try expect(try await registry.testAccounts(), ["2"])
  }
}
