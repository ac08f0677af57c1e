import StratusDomain

/// A sign-in that still needs a second factor. The first factor is a password, or a sign-in at an
/// identity provider. The browser keeps the pending sign-in as a sealed text in a form.
struct PendingSignIn: Sendable, Hashable {
  /// The first factor.
  enum Proof: Sendable, Hashable {
    /// SHA-256 of the stored password hash. After a change of the password, the sign-in has to
    /// begin again.
    case password(digest: [UInt8])
    case provider(issuer: String, subject: String)
  }

  let accountID: String
  let proof: Proof
  /// Whether the user wants to stay signed in.
  let isKept: Bool
  /// The time when the first factor was checked, in milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// The lifetime of a pending sign-in. Choice: enough time to find the phone.
  static let lifetimeMilliseconds: Int64 = 10 * 60_000

  init(of proven: Accounts.ProvenAccount, isKept: Bool, at now: Int64) {
    self.init(
      accountID: proven.account.id, proof: .password(digest: Self.digest(proven.passwordHash)),
      isKept: isKept, issuedAt: now)
  }

  init(accountID: String, proof: Proof, isKept: Bool, issuedAt: Int64) {
    self.accountID = accountID
    self.proof = proof
    self.isKept = isKept
    self.issuedAt = issuedAt
  }

  static func digest(_ passwordHash: String) -> [UInt8] {
    Digest.sha256(Array(passwordHash.utf8))
  }

  func text(sealedBy seal: PageSeal) -> String {
    let proof =
      switch proof {
      case .password(let digest): digest.hex
      case .provider(let issuer, let subject):
        "\(Array(issuer.utf8).hex):\(Array(subject.utf8).hex)"
      }
    return seal.seal("\(accountID) \(proof) \(isKept ? 1 : 0) \(issuedAt)", for: .pendingSignIn)
  }

  /// Returns nil if the server did not make the text, or if the text is too old.
  init?(text: String, sealedBy seal: PageSeal, now: Int64) {
    guard let parts = seal.open(text, for: .pendingSignIn)?.split(separator: " "),
      parts.count == 4, let issuedAt = Int64(parts[3]),
      (0...Self.lifetimeMilliseconds).contains(now - issuedAt)
    else { return nil }
    let proofs = parts[1].split(separator: ":").compactMap { [UInt8](hexText: String($0)) }
    switch proofs.count {
    case 1: proof = .password(digest: proofs[0])
    case 2:
      proof = .provider(
        issuer: String(decoding: proofs[0], as: UTF8.self),
        subject: String(decoding: proofs[1], as: UTF8.self))
    default: return nil
    }
    accountID = String(parts[0])
    isKept = parts[2] == "1"
    self.issuedAt = issuedAt
  }
}

/// The secret of a second factor that a user is setting up. The browser keeps the secret as a
/// sealed text in a form. The server stores the secret only after a code has shown that it works.
struct FactorSetup: Sendable, Hashable {
  let accountID: String
  let secret: [UInt8]
  /// The time when the secret was made, in milliseconds since 1970 UTC.
  let issuedAt: Int64

  /// The lifetime of a setup. Choice: enough time to install an app.
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
