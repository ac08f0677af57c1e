/// What a request shows to prove who makes it.
public struct Credentials: Sendable, Hashable {
  public var apiToken: String?
  public var webAuthToken: String?

  public init(apiToken: String?, webAuthToken: String?) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }
}

/// What the credentials of a request allow.
public struct Admission: Sendable, Hashable {
  /// nil: an API token alone, which speaks for nobody.
  public var userRecordName: String?
  /// A newer web auth token for the same session; nil: the one sent is new enough.
  public var nextWebAuthToken: String?
  /// The origins whose web pages may use the API token, such as `https://app.example.org`; nil:
  /// no restriction.
  public var allowedOrigins: Set<String>?

  public init(
    userRecordName: String?, nextWebAuthToken: String? = nil, allowedOrigins: Set<String>? = nil
  ) {
    self.userRecordName = userRecordName
    self.nextWebAuthToken = nextWebAuthToken
    self.allowedOrigins = allowedOrigins
  }
}

/// Finds out who is calling.
public protocol Authentication: Sendable {
  /// - Throws: `AUTHENTICATION_FAILED`, without a hint which part was wrong, unless the web auth
  ///   token is one this server gave out: then the reason tells a disabled account and a session
  ///   that has ended.
  func admit(
    _ credentials: Credentials, to store: StoreAddress
  ) async throws(ServerError) -> Admission

  /// The users of a container whose accounts are disabled. Who was let in to listen before is to be
  /// asked for here again and again: nobody tells such a user anything.
  func disabledUsers(of container: String) async throws(ServerError) -> Set<String>
}
