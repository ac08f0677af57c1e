import StratusDomain

/// The proof that an account has signed in with a browser. The throttle counts the failures of such
/// a browser apart.
struct KnownBrowser: Sendable, Hashable {
  let accountID: String
  /// A new one for each sign-in.
  let id: String
  /// Milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// A year.
  static let lifetimeMilliseconds: Int64 = 31_536_000_000

  init(accountID: String, id: String, issuedAt: Int64) {
    self.accountID = accountID
    self.id = id
    self.issuedAt = issuedAt
  }

  /// Whether the proof counts: it is not too old, and of the current password.
  ///
  /// NB: otherwise, a person who knew an earlier password could keep proofs, and guess with each of
  /// them.
  func isValid(passwordChangedAt: Int64, now: Int64) -> Bool {
    issuedAt >= passwordChangedAt && now - issuedAt <= Self.lifetimeMilliseconds
  }

  func text(sealedBy seal: PageSeal) -> String {
    seal.seal("\(accountID) \(id) \(issuedAt)", for: .browser)
  }

  /// nil for a text that the server did not make.
  init?(text: String, sealedBy seal: PageSeal) {
    guard let parts = seal.open(text, for: .browser)?.split(separator: " "), parts.count == 3,
      let issuedAt = Int64(parts[2])
    else { return nil }
    self.init(accountID: String(parts[0]), id: String(parts[1]), issuedAt: issuedAt)
  }
}
