/// A code with which a user lets a member of the team see the state of the user's devices.
public struct StoredConsent: Sendable, Hashable {
  /// SHA-256 of the code.
  public var hash: [UInt8]
  public var accountID: String
  /// The time when the user made the code, in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time when the code becomes invalid, in milliseconds since 1970 UTC.
  public var endsAt: Int64
  /// The time when the code was last used, or nil if it was not used yet.
  public var usedAt: Int64?

  public init(
    hash: [UInt8], accountID: String, createdAt: Int64, endsAt: Int64, usedAt: Int64? = nil
  ) {
    self.hash = hash
    self.accountID = accountID
    self.createdAt = createdAt
    self.endsAt = endsAt
    self.usedAt = usedAt
  }
}

/// Stores the codes of consent.
public protocol ConsentRegistry: Sendable {
  /// Stores a code, and removes codes that have ended. The oldest codes of the account are removed
  /// if the account has more than `max` codes.
  func add(_ consent: StoredConsent, max: Int) async throws(ServerError)

  /// Finds a valid code, and stores the time of its use.
  ///
  /// - Returns: the code, or nil if no valid code has this hash.
  func useConsent(hash: [UInt8], at now: Int64) async throws(ServerError) -> StoredConsent?

  /// Returns the valid codes of an account, the newest first.
  func consents(
    ofAccount accountID: String, at now: Int64
  ) async throws(ServerError) -> [StoredConsent]

  /// Removes all codes of an account.
  func deleteConsents(ofAccount accountID: String) async throws(ServerError)
}

/// Stores which accounts exist only for tests. Members of the team may act as the users of these
/// accounts.
public protocol TestAccountRegistry: Sendable {
  /// Creates a test account.
  ///
  /// - Returns: false, without any change, if an account with that e-mail address exists.
  func createTestAccount(_ account: Account) async throws(ServerError) -> Bool

  /// Returns the IDs of the test accounts.
  func testAccounts() async throws(ServerError) -> Set<String>
}
