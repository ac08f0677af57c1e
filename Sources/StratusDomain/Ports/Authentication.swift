import StratusWire

/// The tokens that a request sends to prove its identity.
public struct Credentials: Sendable, Hashable {
  public var apiToken: String?
  public var webAuthToken: String?

  public init(apiToken: String?, webAuthToken: String?) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }
}

/// The parts of a request that decide whether it is admitted.
///
/// A signature is computed from the method, the target, the date and the body, so all of them are
/// kept exactly as received.
public struct AdmissionRequest: Sendable {
  /// Reads the body of a request.
  public typealias Body = @Sendable () async throws(ServerError) -> [UInt8]

  public var credentials: Credentials
  public var store: StoreAddress
  /// The HTTP method, for example `POST`.
  public var method: String
  /// The path and query of the URL, byte for byte as received.
  public var target: String
  /// The `Origin` header, or nil if the client is not a web page.
  public var origin: String?
  /// The client's address, or nil if it is unknown. If the connection comes from a trusted proxy,
  /// this is the address that the proxy names.
  public var clientAddress: String?
  /// The headers of a signed request; see ``signatureHeaderNames``. Their names are in lower case.
  public var signatureHeaders: [String: String]
  /// Returns the seconds for which the client's address remains under suspicion, because too many
  /// of its requests had wrong credentials. Returns nil if it is not under suspicion. A request
  /// from a suspicious address is refused, unless its credentials are in the server's cache, or
  /// this server has made its web auth token.
  ///
  /// NB: this is a function, because the credentials of most requests are in the cache.
  public var suspicionSeconds: @Sendable () -> Int? = { nil }
  /// Returns the bytes of the body. It may be called more than once.
  public var body: Body

  /// The names of the headers of a signed request, in lower case.
  public static let signatureHeaderNames = [
    "x-apple-cloudkit-request-keyid", "x-apple-cloudkit-request-iso8601date",
    "x-apple-cloudkit-request-signaturev1",
  ]

  public init(
    credentials: Credentials, store: StoreAddress, method: String = "POST", target: String = "",
    origin: String? = nil, clientAddress: String? = nil, signatureHeaders: [String: String] = [:],
    body: @escaping Body = { () throws(ServerError) in [] }
  ) {
    self.credentials = credentials
    self.store = store
    self.method = method
    self.target = target
    self.origin = origin
    self.clientAddress = clientAddress
    self.signatureHeaders = signatureHeaders
    self.body = body
  }

  /// - Throws: `THROTTLED` for a request from an address under suspicion.
  public func requireTrust() throws(ServerError) {
    guard let seconds = suspicionSeconds() else { return }
    throw ServerError(
      .throttled, LimitRule.anonymousRequestsPerAddress.reason, retryAfterSeconds: seconds)
  }
}

/// The rights that a request's credentials give.
public struct Admission: Sendable, Hashable {
  public var principal: Principal
  /// A newer web auth token for the same session, or nil if the request's token is recent enough.
  public var nextWebAuthToken: String?
  /// The origins whose web pages may use the API token, or nil if all origins may use it.
  public var allowedOrigins: Set<String>?
  /// Whether the container does not exist yet and the first write will create it. This is possible
  /// only on a development server.
  public var createsContainer = false

  public init(
    principal: Principal, nextWebAuthToken: String? = nil, allowedOrigins: Set<String>? = nil
  ) {
    self.principal = principal
    self.nextWebAuthToken = nextWebAuthToken
    self.allowedOrigins = allowedOrigins
  }

  /// The user's record name in the container, or nil if no user is signed in.
  public var userRecordName: String? { principal.userRecordName }
}

/// Authenticates the caller of a request.
public protocol Authentication: Sendable {
  /// - Throws: `AUTHENTICATION_FAILED`. The reason does not say which part is wrong, except that it
  ///   tells the holder of a valid web auth token that the account is disabled.
  ///   `AUTHENTICATION_REQUIRED` if the session of the token has ended, so that web clients offer
  ///   sign-in again. `ACCESS_DENIED` if the account is restricted. `THROTTLED` if the client's
  ///   address is under suspicion.
  func admit(_ request: AdmissionRequest) async throws(ServerError) -> Admission

  /// Returns the users of a container whose accounts are disabled or restricted, and the users of
  /// its revoked server-to-server keys. Code that serves listeners calls this method repeatedly,
  /// and sends nothing to such users.
  func disabledUsers(of container: String) async throws(ServerError) -> Set<String>

  /// Returns the given sessions that have ended, or whose accounts are disabled or restricted. Code
  /// that serves listeners calls this method repeatedly, and sends nothing to listeners in these
  /// sessions. The call counts as a use of the other sessions.
  ///
  /// - Parameter ids: the IDs of ``Session``s.
  func endedSessions(among ids: Set<String>) async throws(ServerError) -> Set<String>
}

extension Authentication {
  /// Admits a request by its credentials alone.
  ///
  /// - Throws: the errors of ``admit(_:)``.
  public func admit(
    _ credentials: Credentials, to store: StoreAddress
  ) async throws(ServerError) -> Admission {
    try await admit(AdmissionRequest(credentials: credentials, store: store))
  }
}
