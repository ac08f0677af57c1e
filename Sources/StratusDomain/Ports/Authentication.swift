/// What a request shows to prove who makes it.
public struct Credentials: Sendable, Hashable {
  public var apiToken: String?
  public var webAuthToken: String?

  public init(apiToken: String?, webAuthToken: String?) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }
}

/// Everything about a request that can decide whether it is admitted.
///
/// A signature covers the method, the target, the date and the body (web-auth §4.2), so all of them
/// are here as they were received.
public struct AdmissionRequest: Sendable {
  /// Reads a request's body.
  public typealias Body = @Sendable () async throws(ServerError) -> [UInt8]

  public var credentials: Credentials
  public var store: StoreAddress
  /// Such as `POST`.
  public var method: String
  /// Path and query, byte for byte as they were received.
  public var target: String
  /// The web page's origin, as the browser names it; nil: the client is no web page.
  public var origin: String?
  /// The address of the client's connection; nil: there is none.
  public var clientAddress: String?
  /// The headers of a signed request: see ``signatureHeaderNames``. Names are in lower case.
  public var signatureHeaders: [String: String]
  /// Gives the body's bytes. It may be called more than once.
  public var body: Body

  /// The headers that a signed request has (web-auth §4.4), in lower case.
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
}

/// What the credentials of a request allow.
public struct Admission: Sendable, Hashable {
  public var principal: Principal
  /// A newer web auth token for the same session; nil: the one sent is new enough.
  public var nextWebAuthToken: String?
  /// The origins whose web pages may use the API token; nil: all.
  public var allowedOrigins: Set<String>?

  public init(
    principal: Principal, nextWebAuthToken: String? = nil, allowedOrigins: Set<String>? = nil
  ) {
    self.principal = principal
    self.nextWebAuthToken = nextWebAuthToken
    self.allowedOrigins = allowedOrigins
  }

  /// The user's record name in the container; nil: nobody is signed in.
  public var userRecordName: String? { principal.userRecordName }
}

/// Finds out who is calling.
public protocol Authentication: Sendable {
  /// - Throws: `AUTHENTICATION_FAILED`, without a hint which part was wrong, unless the web auth
  ///   token is one this server gave out: then the reason tells that the account is disabled.
  ///   `AUTHENTICATION_REQUIRED` where the token's session has ended, so that web clients offer
  ///   sign-in again.
  func admit(_ request: AdmissionRequest) async throws(ServerError) -> Admission

  /// The users of a container whose accounts are disabled. Whoever serves listeners asks here again
  /// and again, and tells such a user nothing.
  func disabledUsers(of container: String) async throws(ServerError) -> Set<String>
}

extension Authentication {
  /// Admits a request of which only the credentials matter.
  ///
  /// - Throws: as ``admit(_:)``.
  public func admit(
    _ credentials: Credentials, to store: StoreAddress
  ) async throws(ServerError) -> Admission {
    try await admit(AdmissionRequest(credentials: credentials, store: store))
  }
}
