/// A token that lets an app call one container in one environment. On a development server, one
/// token is valid for all containers. The tokens are not secret, because web pages contain them.
public struct APIToken: Sendable, Hashable {
  /// An ID of 16 hex digits for places that must not show the token itself.
  public var id: String
  /// SHA-256 of the token's text. The text itself is not stored.
  public var hash: [UInt8]
  public var store: StoreAddress
  /// The operator's name for the token, which may be empty.
  public var name: String
  /// The origins whose web pages may use the token, such as `https://app.example.org`, or nil if
  /// all origins may.
  public var allowedOrigins: Set<String>?
  /// The way in which a sign-in passes the web auth token to the app.
  public var callback: SignInCallback
  /// The time of creation, in milliseconds since 1970 UTC, or nil if an earlier version of the
  /// server made the token.
  public var createdAt: Int64?

  public init(
    id: String, hash: [UInt8], store: StoreAddress, name: String = "",
    allowedOrigins: Set<String>? = nil, callback: SignInCallback = .postMessage,
    createdAt: Int64? = nil
  ) {
    self.id = id
    self.hash = hash
    self.store = store
    self.name = name
    self.allowedOrigins = allowedOrigins
    self.callback = callback
    self.createdAt = createdAt
  }
}

/// The way in which a sign-in passes the web auth token to the app.
public enum SignInCallback: Sendable, Hashable {
  /// The sign-in page posts a message to the page that opened it.
  case postMessage
  /// The browser is redirected to this URL.
  case redirect(url: String)
}

/// Stores API tokens.
public protocol APITokenRegistry: Sendable {
  func create(_ token: APIToken) async throws(ServerError)
  /// Returns the token with this hash.
  func apiToken(hash: [UInt8]) async throws(ServerError) -> APIToken?
  /// Returns all tokens, sorted by container, environment and ID.
  func apiTokens() async throws(ServerError) -> [APIToken]
  /// - Returns: false if there is no such token.
  func deleteAPIToken(id: String) async throws(ServerError) -> Bool
}

/// An account's session with one container in one environment, from sign-in to sign-out.
public struct Session: Sendable, Hashable {
  public var id: String
  public var accountID: String
  public var store: StoreAddress
  /// The time of creation. All times of a session are in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time of the last use, accurate to the hour.
  public var lastUsedAt: Int64
  /// The time when the session ends, even if it is in use.
  public var endsAt: Int64

  public init(
    id: String, accountID: String, store: StoreAddress, createdAt: Int64, lastUsedAt: Int64,
    endsAt: Int64
  ) {
    self.id = id
    self.accountID = accountID
    self.store = store
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.endsAt = endsAt
  }
}

/// Stores sessions.
public protocol SessionRegistry: Sendable {
  /// Stores a session. If the account then has more than `countMax` sessions in the same store, the
  /// sessions that were used least recently are removed.
  ///
  /// - Parameter countMax: the maximum number of sessions that stay, including this one.
  func create(_ session: Session, countMax: Int) async throws(ServerError)
  func session(id: String) async throws(ServerError) -> Session?
  /// Returns all sessions in the order of their creation.
  func sessions() async throws(ServerError) -> [Session]
  /// Returns the sessions of an account in the order of their creation.
  func sessions(ofAccount accountID: String) async throws(ServerError) -> [Session]
  /// Updates the time of a session's last use.
  func touchSession(id: String, at time: Int64) async throws(ServerError)
  /// - Returns: false if there is no such session.
  func deleteSession(id: String) async throws(ServerError) -> Bool
  /// Removes sessions that were not used since `unusedSince`, or that ended before `endedBefore`.
  func deleteSessions(unusedSince: Int64, endedBefore: Int64) async throws(ServerError)
}

extension SessionRegistry {
  /// Stores a session, and removes no other session.
  public func create(_ session: Session) async throws(ServerError) {
    try await create(session, countMax: .max)
  }
}
