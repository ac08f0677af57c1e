/// Lets an app call for one container in one environment. Not secret: it stands in web pages.
public struct APIToken: Sendable, Hashable {
  /// Names the token where the token itself must not stand: 16 hex digits.
  public var id: String
  /// SHA-256 of the token's text, which is not kept.
  public var hash: [UInt8]
  public var store: StoreAddress
  /// The operator's name for it; may be empty.
  public var name: String
  /// The origins whose web pages may use it, such as `https://app.example.org`; nil: all.
  public var allowedOrigins: Set<String>?
  /// How a sign-in tells the app its web auth token.
  public var callback: SignInCallback
  /// Milliseconds since 1970 UTC; nil: an earlier program made it.
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

/// How a sign-in tells the app its web auth token (web-auth §3.2).
public enum SignInCallback: Sendable, Hashable {
  /// The sign-in page posts a message to the page that opened it.
  case postMessage
  /// The browser goes to this URL.
  case redirect(url: String)
}

/// Keeps API tokens.
public protocol APITokenRegistry: Sendable {
  func create(_ token: APIToken) async throws(ServerError)
  /// The token with a hash.
  func apiToken(hash: [UInt8]) async throws(ServerError) -> APIToken?
  /// All tokens in order of container, environment and ID.
  func apiTokens() async throws(ServerError) -> [APIToken]
  /// - Returns: false if there is none.
  func deleteAPIToken(id: String) async throws(ServerError) -> Bool
}

/// An account's stay with one container in one environment, from sign-in to sign-out.
public struct Session: Sendable, Hashable {
  public var id: String
  public var accountID: String
  public var store: StoreAddress
  /// Milliseconds since 1970 UTC, like all times here.
  public var createdAt: Int64
  /// When it was used last, to the hour.
  public var lastUsedAt: Int64
  /// When it ends however much it is used.
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

/// Keeps sessions.
public protocol SessionRegistry: Sendable {
  func create(_ session: Session) async throws(ServerError)
  func session(id: String) async throws(ServerError) -> Session?
  /// All sessions in order of their creation.
  func sessions() async throws(ServerError) -> [Session]
  /// Notes that a session was used.
  func touchSession(id: String, at time: Int64) async throws(ServerError)
  /// - Returns: false if there is none.
  func deleteSession(id: String) async throws(ServerError) -> Bool
  /// Removes sessions that were not used since a time, or that ended before another.
  func deleteSessions(unusedSince: Int64, endedBefore: Int64) async throws(ServerError)
}
