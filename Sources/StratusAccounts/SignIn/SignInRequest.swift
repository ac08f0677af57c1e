import StratusDomain
import StratusWire

/// A request of an app to sign a user in. The `redirectURL` of an answer contains it.
struct SignInRequest: Sendable, Hashable {
  /// The SHA-256 hash of the API token, in hex.
  var apiTokenHash: String
  var store: StoreAddress
  /// The origin of the app's web page, or nil if the app is not a web page.
  var origin: String?
  /// The time when the request was made, in milliseconds since 1970 UTC.
  var issuedAt: Int64

  /// CloudKit JS requests a new redirect URL every 14 minutes. Choice: the lifetime is longer, so
  /// that users have time to look for their password.
  static let lifetimeMilliseconds: Int64 = 3_600_000

  func text(sealedBy seal: PageSeal) -> String {
    let lines = [
      String(issuedAt), apiTokenHash, store.container, store.environment.rawValue, origin ?? "",
    ]
    return seal.seal(lines.joined(separator: "\n"), for: .signInRequest)
  }

  /// Returns nil if the server did not make the text, or if the text is too old.
  init?(text: String, sealedBy seal: PageSeal, now: Int64) {
    guard let opened = seal.open(text, for: .signInRequest) else { return nil }
    let lines = opened.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 5, let issuedAt = Int64(lines[0]),
      let environment = ContainerEnvironment(rawValue: lines[3]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    apiTokenHash = lines[1]
    store = StoreAddress(container: lines[2], environment: environment)
    origin = lines[4].isEmpty ? nil : lines[4]
    self.issuedAt = issuedAt
  }

  init(apiTokenHash: String, store: StoreAddress, origin: String?, issuedAt: Int64) {
    self.apiTokenHash = apiTokenHash
    self.store = store
    self.origin = origin
    self.issuedAt = issuedAt
  }
}
