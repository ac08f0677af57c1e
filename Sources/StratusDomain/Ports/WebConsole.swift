/// A request to the console's interface. Its head has been checked: it comes from the console's
/// own page.
public struct ConsoleRequest: Sendable {
  /// The path below `/console/1/`, for example `management/status`.
  public var path: String
  /// The test account in whose name the request opens a database, or nil.
  public var actsAs: String?
  public var body: [UInt8]
  /// The text of the console's cookie, or nil if there is none.
  public var cookie: String?
  /// The address of the client, or nil if it is unknown.
  public var clientAddress: String?
  /// The `User-Agent` of the browser, or nil if there is none.
  public var userAgent: String?

  public init(
    path: String, actsAs: String? = nil, body: [UInt8] = [], cookie: String? = nil,
    clientAddress: String? = nil, userAgent: String? = nil
  ) {
    self.path = path
    self.actsAs = actsAs
    self.body = body
    self.cookie = cookie
    self.clientAddress = clientAddress
    self.userAgent = userAgent
  }
}

/// The change of the console's cookie that an answer makes.
public enum ConsoleCookie: Sendable, Hashable {
  case unchanged
  case set(String)
  case removed
}

/// How a request to the console is answered.
public enum ConsoleDecision: Sendable {
  /// By these bytes, which are JSON.
  case answer([UInt8], ConsoleCookie)
  /// By the handler of a management endpoint.
  ///
  /// - Parameter containers: the containers that exist for the member, or nil for all.
  case manage(endpoint: String, containers: [String]?)
  /// By the handler of a database's endpoint, which the principal calls.
  case open(DatabaseAddress, endpoint: String, Principal)
}

/// Authenticates the requests to the console, and decides what a member of the team may do.
public protocol WebConsole: Sendable {
  /// - Throws: `AUTHENTICATION_REQUIRED` without a session, `ACCESS_DENIED` without the
  ///   permission, and the errors of requests about the session.
  func decide(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision
}
