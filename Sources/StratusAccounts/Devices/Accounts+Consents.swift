import StratusDomain
import StratusWire

extension Accounts {
  /// How long a code of consent is valid, in milliseconds. Choice: long enough for a telephone call
  /// with the support team.
  static let consentMilliseconds: Int64 = 3_600_000
  /// The maximum number of valid codes of one account. A further code replaces the oldest one.
  static let consentsMax = 3

  /// Makes a code with which a member of the team can see the state of the account's devices.
  ///
  /// - Returns: the code, which is stored only as a hash.
  func makeConsent(of account: Account) async throws(ServerError) -> String {
    let text = CodeText.make(randomness)
    let now = ambient.now()
    try await registry.add(
      StoredConsent(
        hash: Self.consentHash(text) ?? [], accountID: account.id, createdAt: now,
        endsAt: now + Self.consentMilliseconds), max: Self.consentsMax)
    audit.note("the account '\(account.email)' made a code of consent")
    return text
  }

  /// Uses a code of consent.
  ///
  /// - Throws: `NOT_FOUND` if the code is unknown or has expired, or if its account is disabled.
  func useConsent(
    _ text: String
  ) async throws(ServerError) -> (account: Account, consent: StoredConsent) {
    guard let hash = Self.consentHash(text),
      let consent = try await registry.useConsent(hash: hash, at: ambient.now()),
      let account = try await registry.account(id: consent.accountID), !account.isDisabled
    else {
      throw ServerError(
        .notFound,
        "there is no such code of consent, or it has ended; the user makes one on the page "
          + "/account/devices")
    }
    return (account, consent)
  }

  /// NB: the hash is computed from the word `consent` and the code, so that a code for another
  /// purpose never matches.
  private static func consentHash(_ text: String) -> [UInt8]? {
    CodeText.signs(of: text).map { Digest.sha256(Array("consent ".utf8) + $0) }
  }
}
