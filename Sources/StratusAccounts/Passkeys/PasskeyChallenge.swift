import StratusDomain

/// The challenge of a page that asks for a passkey. The sealed text is the challenge itself, so the
/// server stores nothing until the challenge is answered.
///
/// The challenge of a sign-in is not bound to an account, because the user chooses the account in
/// the browser.
struct PasskeyChallenge: Sendable, Hashable {
  /// The account that gets a passkey, or nil for a sign-in.
  let accountID: String?
  /// SHA-256 of the form cookie of the browser.
  let browser: [UInt8]
  /// The time when the page was made, in milliseconds since 1970 UTC.
  let issuedAt: Int64
  /// The sealed text.
  let text: String

  /// The lifetime of a challenge. Choice: enough time to find a security key.
  static let lifetimeMilliseconds: Int64 = 5 * 60_000
  /// The number of random bytes, as WebAuthn §13.4.3 recommends.
  private static let randomCount = 16

  init(
    for accountID: String?, cookie: String, sealedBy seal: PageSeal, randomness: Randomness,
    now: Int64
  ) {
    self.accountID = accountID
    browser = Digest.sha256(Array(cookie.utf8))
    issuedAt = now
    let random = randomness(Self.randomCount).hex
    text = seal.seal(
      "\(random) \(accountID ?? "-") \(browser.hex) \(now)", for: .passkeyChallenge)
  }

  /// Returns nil if the text has expired, or if the server did not make it for this browser and for
  /// this account. A nil account means that the text must be made for a sign-in.
  init?(
    text: String, for accountID: String?, cookie: String, sealedBy seal: PageSeal, now: Int64
  ) {
    guard let parts = seal.open(text, for: .passkeyChallenge)?.split(separator: " "),
      parts.count == 4, parts[1] == accountID ?? "-",
      [UInt8](hexText: String(parts[2])) == Digest.sha256(Array(cookie.utf8)),
      let issuedAt = Int64(parts[3]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    self.accountID = accountID
    browser = Digest.sha256(Array(cookie.utf8))
    self.issuedAt = issuedAt
    self.text = text
  }

  /// The bytes that the browser passes to the authenticator.
  var bytes: [UInt8] { Array(text.utf8) }

  /// The row that marks the challenge as answered.
  var used: SignInStep {
    SignInStep(
      kind: .used, hash: Digest.sha256(bytes), endsAt: issuedAt + Self.lifetimeMilliseconds)
  }
}
