import StratusDomain
import StratusWire

extension Accounts {
  /// The number of recovery codes of an account.
  static let recoveryCodesCount = 10
  /// The number of random bytes of a recovery code. Such a code cannot be guessed, so a SHA-256
  /// hash without a salt is safe (OWASP ASVS 6.5.2).
  private static let recoveryCodeBytes = 16
  /// The maximum length of a typed code. A recovery code with separators is shorter.
  private static let typedMax = 64

  /// New recovery codes, as texts for the user and as hashes for the registry.
  struct RecoveryCodes: Sendable {
    let texts: [String]
    var hashes: [[UInt8]] { texts.map(Accounts.hash(ofRecoveryCode:)) }
  }

  func makeRecoveryCodes() -> RecoveryCodes {
    RecoveryCodes(
      texts: (0..<Self.recoveryCodesCount).map { _ in
        Base32.encode(randomness(Self.recoveryCodeBytes))
      })
  }

  private static func hash(ofRecoveryCode text: String) -> [UInt8] {
    Digest.sha256(Array(text.utf8))
  }

  /// Stores a secret as the second factor of an account, with new recovery codes.
  ///
  /// - Parameters:
  ///   - step: the time step of the code that the user has typed to show that the app works. This
  ///     code cannot be used again.
  ///   - session: the browser session that stays open.
  /// - Returns: nil if the account's password was changed after the proof was made.
  func setFactor(
    secret: [UInt8], step: Int64, of proven: ProvenAccount, keeping session: BrowserSession
  ) async throws(ServerError) -> RecoveryCodes? {
    let id = proven.account.id
    let codes = makeRecoveryCodes()
    let sealed = try secretSeal.seal(
      secret, at: Self.place(ofFactor: id), nonce: randomness(SecretSeal.nonceCount))
    let isStored = try await registry.set(
      StoredFactor(
        accountID: id, sealedSecret: sealed, lastStep: step, createdAt: ambient.now()),
      recoveryCodes: codes.hashes, keepingSession: session.hash, provenBy: proven.passwordHash)
    return isStored ? codes : nil
  }

  private static func place(ofFactor accountID: String) -> String { "factor \(accountID)" }

  /// The result of a check of a second factor.
  enum FactorCheck: Sendable {
    case refused
    case code
    case recoveryCode
  }

  /// Checks a typed code and marks it as used. The text is a code of the user's app, or a recovery
  /// code.
  func useFactor(
    _ typed: String, of account: Account
  ) async throws(ServerError) -> FactorCheck {
    guard typed.utf8.count <= Self.typedMax,
      let factor = try await registry.factor(ofAccount: account.id)
    else { return .refused }
    let text = typed.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    if text.utf8.count == TimeCode.digitCount {
      guard
        let secret = secretSeal.open(
          factor.sealedSecret, at: Self.place(ofFactor: account.id))
      else {
        audit.note(
          "the second factor of the account '\(account.email)' cannot be read, because the key "
            + "that sealed it is missing")
        return .refused
      }
      guard let step = TimeCode.step(of: text, secret: secret, now: ambient.now()),
        try await registry.useStep(step, ofAccount: account.id)
      else { return .refused }
      return .code
    }
    let isUsed = try await registry.useRecoveryCode(
      hash: Self.hash(ofRecoveryCode: text), ofAccount: account.id)
    return isUsed ? .recoveryCode : .refused
  }
}
