/// The second factor of an account: the secret of an app that computes time-based codes (RFC 6238).
public struct StoredFactor: Sendable, Hashable {
  public var accountID: String
  /// The secret. It is sealed, because codes can be computed from it.
  public var sealedSecret: [UInt8]
  /// The number of the last time step whose code was used. No code of this step or an earlier one
  /// is accepted again.
  public var lastStep: Int64
  /// The time when the factor was set up, in milliseconds since 1970 UTC.
  public var createdAt: Int64

  public init(accountID: String, sealedSecret: [UInt8], lastStep: Int64, createdAt: Int64) {
    self.accountID = accountID
    self.sealedSecret = sealedSecret
    self.lastStep = lastStep
    self.createdAt = createdAt
  }
}

/// Stores the second factors of accounts, and the recovery codes that replace them.
public protocol FactorRegistry: Sendable {
  /// Stores a factor and its recovery codes, in one transaction. They replace the earlier factor
  /// and its codes. The browser sessions of the account end (except `kept`), because they began
  /// without the factor.
  ///
  /// - Parameters:
  ///   - hashes: SHA-256 of each recovery code.
  ///   - kept: the hash of the browser session that stays, or nil if no session stays.
  ///   - passwordHash: the hash that the account's password must still have.
  /// - Returns: false if the password was changed in the meantime. Then nothing changes.
  func set(
    _ factor: StoredFactor, recoveryCodes hashes: [[UInt8]], keepingSession kept: [UInt8]?,
    provenBy passwordHash: String
  ) async throws(ServerError) -> Bool

  /// Returns the factor of an account, or nil if the account has none.
  func factor(ofAccount accountID: String) async throws(ServerError) -> StoredFactor?

  /// Marks a time step as used.
  ///
  /// - Returns: false if this step or a later one was used already, or if there is no factor.
  func useStep(_ step: Int64, ofAccount accountID: String) async throws(ServerError) -> Bool

  /// Replaces the recovery codes of an account.
  ///
  /// - Returns: false if the account has no factor. Then nothing changes.
  func setRecoveryCodes(
    _ hashes: [[UInt8]], ofAccount accountID: String
  ) async throws(ServerError) -> Bool

  /// Uses a recovery code, and removes it.
  ///
  /// - Returns: false if the account has no such code.
  func useRecoveryCode(
    hash: [UInt8], ofAccount accountID: String
  ) async throws(ServerError) -> Bool

  /// Returns the number of unused recovery codes of an account.
  func recoveryCodeCount(ofAccount accountID: String) async throws(ServerError) -> Int

  /// Removes the factor and the recovery codes of an account.
  ///
  /// - Returns: false if the account has no factor.
  func deleteFactor(ofAccount accountID: String) async throws(ServerError) -> Bool
}
