import StratusDomain

/// A sign-in whose password was right, and that still needs a second factor. The browser keeps it
/// as a sealed text in a form.
struct PendingSignIn: Sendable, Hashable {
  let accountID: String
  /// SHA-256 of the stored password hash. After a change of the password, the sign-in has to begin
  /// again.
  let passwordDigest: [UInt8]
  /// Whether the user wants to stay signed in.
  let isKept: Bool
  /// The time when the password was checked, in milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// The lifetime of a pending sign-in. Choice: enough to find the phone.
  static let lifetimeMilliseconds: Int64 = 10 * 60_000

  init(of proven: Accounts.ProvenAccount, isKept: Bool, at now: Int64) {
    accountID = proven.account.id
    passwordDigest = Self.digest(proven.passwordHash)
    self.isKept = isKept
    issuedAt = now
  }

  static func digest(_ passwordHash: String) -> [UInt8] {
    Digest.sha256(Array(passwordHash.utf8))
  }

  func text(sealedBy seal: PageSeal) -> String {
    seal.seal(
      "\(accountID) \(passwordDigest.hex) \(isKept ? 1 : 0) \(issuedAt)", for: .pendingSignIn)
  }

  /// Returns nil if the server did not make the text, or if the text is too old.
  init?(text: String, sealedBy seal: PageSeal, now: Int64) {
    guard let parts = seal.open(text, for: .pendingSignIn)?.split(separator: " "),
      parts.count == 4, let digest = [UInt8](hexText: String(parts[1])),
      let issuedAt = Int64(parts[3]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    accountID = String(parts[0])
    passwordDigest = digest
    isKept = parts[2] == "1"
    self.issuedAt = issuedAt
  }
}

/// The secret of a second factor that a user is setting up. The browser keeps it as a sealed text
/// in a form, so that the server stores only secrets that work.
struct FactorSetup: Sendable, Hashable {
  let accountID: String
  let secret: [UInt8]
  /// The time when the secret was made, in milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// The lifetime of a setup. Choice: enough to install an app.
  static let lifetimeMilliseconds: Int64 = 30 * 60_000

  init(accountID: String, secret: [UInt8], issuedAt: Int64) {
    self.accountID = accountID
    self.secret = secret
    self.issuedAt = issuedAt
  }

  func text(sealedBy seal: PageSeal) -> String {
    seal.seal("\(accountID) \(secret.hex) \(issuedAt)", for: .factorSetup)
  }

  /// Returns nil if the server did not make the text for this account, or if the text is too old.
  init?(text: String, of accountID: String, sealedBy seal: PageSeal, now: Int64) {
    guard let parts = seal.open(text, for: .factorSetup)?.split(separator: " "),
      parts.count == 3, parts[0] == accountID, let secret = [UInt8](hexText: String(parts[1])),
      secret.count == TimeCode.secretCount, let issuedAt = Int64(parts[2]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    self.init(accountID: accountID, secret: secret, issuedAt: issuedAt)
  }
}
