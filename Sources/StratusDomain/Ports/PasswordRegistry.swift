/// The password of an account, as a hash.
public struct StoredPassword: Sendable, Hashable {
  public var accountID: String
  /// The hash with its parameters as a PHC text, such as `$scrypt$ln=15,r=8,p=3$salt$hash`.
  public var hash: String
  /// The time when the password was changed, in milliseconds since 1970 UTC.
  public var changedAt: Int64

  public init(accountID: String, hash: String, changedAt: Int64) {
    self.accountID = accountID
    self.hash = hash
    self.changedAt = changedAt
  }
}

/// Stores the passwords of accounts. An account has at most one password.
public protocol PasswordRegistry: Sendable {
  /// Stores a new password, ends the account's browser sessions, and removes the codes that were
  /// mailed to the account's address, in one transaction.
  ///
  /// - Parameters:
  ///   - earlier: the hash that the account must still have. If nil, the account may have any
  ///     hash, or none.
  ///   - endsAppSessions: whether the account's sessions with containers end, too.
  /// - Returns: false if the stored hash is not `earlier`. Then nothing changes.
  func change(
    to password: StoredPassword, from earlier: String?, endsAppSessions: Bool
  ) async throws(ServerError) -> Bool
  /// Replaces the hash of a password that stays the same.
  ///
  /// - Returns: false if the stored hash is not `earlier`. Then nothing changes.
  func rehash(
    ofAccount accountID: String, from earlier: String, to hash: String
  ) async throws(ServerError) -> Bool
  func password(ofAccount accountID: String) async throws(ServerError) -> StoredPassword?
}

/// A sign-in of an account on the server's own pages. The browser proves it with a cookie.
public struct BrowserSession: Sendable, Hashable {
  /// SHA-256 of the cookie's text. The text itself is not stored.
  public var hash: [UInt8]
  public var accountID: String
  /// The time of creation. All times of a session are in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time of the last use, accurate to the minute.
  public var lastUsedAt: Int64
  /// The time when the session ends, even if it is in use.
  public var endsAt: Int64
  /// Whether the session still exists after the browser is closed.
  public var isKept: Bool
  /// The `User-Agent` of the browser, which may be empty.
  public var browser: String

  public init(
    hash: [UInt8], accountID: String, createdAt: Int64, lastUsedAt: Int64, endsAt: Int64,
    isKept: Bool, browser: String
  ) {
    self.hash = hash
    self.accountID = accountID
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.endsAt = endsAt
    self.isKept = isKept
    self.browser = browser
  }
}

/// Stores browser sessions.
public protocol BrowserSessionRegistry: Sendable {
  /// Stores a session. If the account then has more than `countMax` sessions, the sessions that
  /// were used least recently are removed.
  ///
  /// - Parameters:
  ///   - proof: the credential that the account must still have.
  ///   - countMax: the maximum number of sessions that stay, including this one.
  /// - Returns: false if the account does not have the credential any more. Then nothing changes.
  func create(
    _ session: BrowserSession, provenBy proof: SignInProof, countMax: Int
  ) async throws(ServerError) -> Bool
  func browserSession(hash: [UInt8]) async throws(ServerError) -> BrowserSession?
  /// Returns the sessions of an account in the order of their creation.
  func browserSessions(ofAccount accountID: String) async throws(ServerError) -> [BrowserSession]
  /// Updates the time of a session's last use.
  func touchBrowserSession(hash: [UInt8], at time: Int64) async throws(ServerError)
  /// - Returns: false if there is no such session.
  func deleteBrowserSession(hash: [UInt8]) async throws(ServerError) -> Bool
  /// Removes the sessions of an account.
  ///
  /// - Parameter kept: the hash of a session that stays, or nil if no session stays.
  func deleteBrowserSessions(
    ofAccount accountID: String, except kept: [UInt8]?
  ) async throws(ServerError)
  /// Removes sessions that have ended, or that were not used for too long.
  ///
  /// - Parameters:
  ///   - time: sessions that ended before this time are removed.
  ///   - unusedSince: sessions that are not kept (``BrowserSession/isKept``) are removed if they
  ///     were not used since this time.
  ///   - keptUnusedSince: kept sessions are removed if they were not used since this time.
  func deleteBrowserSessions(
    endedBefore time: Int64, unusedSince: Int64, keptUnusedSince: Int64
  ) async throws(ServerError)
}
