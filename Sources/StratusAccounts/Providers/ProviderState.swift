import StratusDomain

/// The state of a sign-in at an identity provider. The sealed text travels through the browser as
/// the parameter `state`, so the server stores nothing until the browser comes back.
struct ProviderState: Sendable, Hashable {
  let providerID: String
  /// The account that gets a link to the provider's user, or nil for a sign-in.
  let accountID: String?
  /// The ID of the browser session that asked for the link, or nil for a sign-in.
  let sessionID: String?
  /// SHA-256 of the form cookie of the browser.
  let browser: [UInt8]
  /// The fields of the goal of the sign-in: the app's request, the share, and the device.
  let goal: [String: String]
  /// The time when the sign-in began, in milliseconds since 1970 UTC.
  let issuedAt: Int64
  /// The sealed text.
  let text: String

  /// The lifetime of a state. Choice: enough for a sign-in with a second factor at the provider.
  static let lifetimeMilliseconds: Int64 = 15 * 60_000
  private static let goalNames = ["request", "share", "device"]

  init(
    _ provider: IdentityProvider, linking account: (id: String, sessionID: String)?,
    cookie: String, goal: [String: String], sealedBy seal: PageSeal, randomness: Randomness,
    now: Int64
  ) {
    providerID = provider.id
    accountID = account?.id
    sessionID = account?.sessionID
    browser = Digest.sha256(Array(cookie.utf8))
    self.goal = goal
    issuedAt = now
    let lines =
      [
        randomness(16).hex, provider.id, account?.id ?? "", account?.sessionID ?? "", browser.hex,
        String(now),
      ] + Self.goalNames.map { goal[$0].map { "=" + $0 } ?? "" }
    text = seal.seal(lines.joined(separator: "\n"), for: .providerState)
  }

  /// Returns nil if the text has expired, or if the server did not make it for this browser and
  /// this provider.
  init?(
    text: String, of providerID: String, cookie: String, sealedBy seal: PageSeal, now: Int64
  ) {
    guard let opened = seal.open(text, for: .providerState) else { return nil }
    let lines = opened.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let browser = Digest.sha256(Array(cookie.utf8))
    guard lines.count == 6 + Self.goalNames.count, lines[1] == providerID,
      [UInt8](hexText: lines[4]) == browser, let issuedAt = Int64(lines[5]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    self.providerID = providerID
    accountID = lines[2].isEmpty ? nil : lines[2]
    sessionID = lines[3].isEmpty ? nil : lines[3]
    self.browser = browser
    self.issuedAt = issuedAt
    var goal: [String: String] = [:]
    for (name, line) in zip(Self.goalNames, lines.dropFirst(6)) where line.hasPrefix("=") {
      goal[name] = String(line.dropFirst())
    }
    self.goal = goal
    self.text = text
  }

  /// The nonce of the ID token. It is bound to the state.
  func nonce(_ seal: PageSeal) -> String { seal.derived(from: text, for: .providerNonce) }

  /// The secret that proves at the token URL that the server began the sign-in (RFC 7636).
  func verifier(_ seal: PageSeal) -> String { seal.derived(from: text, for: .providerVerifier) }

  /// The challenge for the verifier. The provider gets it with the authorization request.
  func challenge(_ seal: PageSeal) -> String {
    Base64URL.encode(Digest.sha256(Array(verifier(seal).utf8)))
  }

  /// The row that marks the state as used.
  var used: SignInStep {
    SignInStep(
      kind: .used, hash: Digest.sha256(Array(text.utf8)),
      endsAt: issuedAt + Self.lifetimeMilliseconds)
  }
}
