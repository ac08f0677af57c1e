import StratusDomain
import StratusWire

/// The checks of further addresses: the e-mail addresses that users confirm in addition to the
/// address of their account.
extension RegistryConformance {
  private static func code(
    _ hash: UInt8, for email: String, of account: Account = ann,
    _ purpose: MailCode.Purpose = .address
  ) -> MailCode {
    MailCode(
      hash: [hash], purpose: purpose, email: email, browser: [7], accountID: account.id,
      endsAt: 100)
  }

  private static func confirm(
    _ code: MailCode, by account: Account = ann, at time: Int64 = 50, countMax: Int = 2,
    in registry: any Registry
  ) async throws -> AddressConfirmation {
    try await registry.confirmAddress(
      codeHash: code.hash, accountID: account.id, countMax: countMax, at: time)
  }

  static func addressesAreConfirmed(_ registry: any Registry) async throws {
    for account in [ann, bob] { _ = try await registry.create(account) }
    let first = code(1, for: "a@example.net")
    try await registry.create(first)
    try expect(try await registry.mailCode(hash: first.hash), first)
    // The code belongs to one account, for a limited time.
    try expect(try await confirm(first, by: bob, in: registry), .refused)
    try expect(try await confirm(first, at: 101, in: registry), .refused)
    let address = ConfirmedAddress(accountID: ann.id, email: "a@example.net", confirmedAt: 50)
    try expect(try await confirm(first, in: registry), .confirmed(address))
    try expect(try await confirm(first, in: registry), .refused)
    try expect(try await registry.addresses(ofAccount: ann.id), [address])
    try expect(try await registry.addresses(ofAccount: bob.id), [])
    // Codes for other purposes add no address, and codes for an address set no password.
    let reset = code(2, for: "b@example.net", .reset)
    try await registry.create(reset)
    try expect(try await confirm(reset, in: registry), .refused)
    let second = code(3, for: "b@example.net")
    try await registry.create(second)
    try expect(
      try await registry.redeem(
        codeHash: second.hash, newID: "new", passwordHash: "$", at: 50), nil)
    // An account has a limited number of further addresses. A code that is refused for this reason
    // stays valid.
    try expect(try await confirm(second, countMax: 1, in: registry), .tooMany)
    try expect(try await registry.deleteAddress("a@example.net", ofAccount: bob.id), false)
    try expect(try await registry.deleteAddress("a@example.net", ofAccount: ann.id), true)
    try expect(try await registry.deleteAddress("a@example.net", ofAccount: ann.id), false)
    let other = ConfirmedAddress(accountID: ann.id, email: "b@example.net", confirmedAt: 50)
    try expect(try await confirm(second, countMax: 1, in: registry), .confirmed(other))
  }

  static func addressesAreUnique(_ registry: any Registry) async throws {
    for account in [ann, bob] { _ = try await registry.create(account) }
    let (anns, bobs) = (code(1, for: "a@example.net"), code(2, for: "a@example.net", of: bob))
    try await registry.create(anns)
    _ = try await confirm(anns, in: registry)
    try await registry.create(bobs)
    // If two accounts confirm the same address, it belongs to the account that confirmed it last.
    _ = try await confirm(bobs, by: bob, at: 60, in: registry)
    try expect(try await registry.addresses(ofAccount: ann.id), [])
    try expect(
      try await registry.addresses(ofAccount: bob.id),
      [ConfirmedAddress(accountID: bob.id, email: "a@example.net", confirmedAt: 60)])
    // After an account was created with an address, no other account has it as a further address.
    let early = code(3, for: "a@example.net")
    try await registry.create(early)
    _ = try await registry.create(Account(id: "3", email: "a@example.net", isDisabled: false))
    try expect(try await registry.addresses(ofAccount: bob.id), [])
    try expect(try await confirm(early, in: registry), .refused)
  }
}
