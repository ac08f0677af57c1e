import StratusDomain

/// The proof that an account has signed in with a browser. The throttle counts the failures of such
/// a browser separately.
struct KnownBrowser: Sendable, Hashable {
  let accountID: String
  /// The ID of the proof. Each sign-in creates a proof with a new ID.
  let id: String
  /// The time of the sign-in, in milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// The lifetime of a proof: one year.
  static let lifetimeMilliseconds: Int64 = 31_536_000_000

  init(accountID: String, id: String, issuedAt: Int64) {
    self.accountID = accountID
    self.id = id
    self.issuedAt = issuedAt
  }

  /// Whether the proof is not too old, and was issued for the current password.
  ///
  /// NB: if proofs of earlier passwords were valid, a person who knew such a password could collect
  /// proofs, and guess the new password with each of them.
  func isValid(passwordChangedAt: Int64, now: Int64) -> Bool {
    issuedAt >= passwordChangedAt && now - issuedAt <= Self.lifetimeMilliseconds
  }

  func text(sealedBy seal: PageSeal) -> String {
    seal.seal("\(accountID) \(id) \(issuedAt)", for: .browser)
  }

  /// Returns nil for a text that the server did not make.
  init?(text: String, sealedBy seal: PageSeal) {
    guard let parts = seal.open(text, for: .browser)?.split(separator: " "), parts.count == 3,
      let issuedAt = Int64(parts[2])
    else { return nil }
    self.init(accountID: String(parts[0]), id: String(parts[1]), issuedAt: issuedAt)
  }
}
