/// A request to the console's interface. The server has checked the request's head, which proves
/// that the request comes from the console's own page.
public struct ConsoleRequest: Sendable {
  /// The path below `/console/1/`, for example `management/status`.
  public var path: String
  public var body: [UInt8]
  /// The text of the console's cookie, or nil if there is none.
  public var cookie: String?
  /// The address of the client, or nil if it is unknown.
  public var clientAddress: String?
  /// The `User-Agent` of the browser, or nil if there is none.
  public var userAgent: String?
  /// Whether the page sent the request by itself, because something has changed. Such a request
  /// does not count as a use of the session, so that an open page does not keep its session alive.
  public var isAutomatic: Bool
  /// The URL at which apps call the server.
  public var serverURL: String

  public init(
    path: String, body: [UInt8] = [], cookie: String? = nil,
    clientAddress: String? = nil, userAgent: String? = nil, isAutomatic: Bool = false,
    serverURL: String
  ) {
    self.path = path
    self.body = body
    self.cookie = cookie
    self.clientAddress = clientAddress
    self.userAgent = userAgent
    self.isAutomatic = isAutomatic
    self.serverURL = serverURL
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
  /// These bytes are the answer, in JSON.
  case answer([UInt8], ConsoleCookie)
  /// The handler of a management endpoint answers. The member gets the part of the answer that the
  /// ``ConsoleView`` allows.
  case manage(endpoint: String, ConsoleView)
  /// The answer is a stream of events, which lasts until the session ends.
  ///
  /// - Parameter member: the ID of the account that listens.
  case listen(member: String, ConsoleView)
  /// The handler of a database's endpoint answers. The principal is the caller.
  case open(DatabaseAddress, endpoint: String, Principal)
}

/// The part of an answer that a member may see.
public struct ConsoleView: Sendable, Hashable {
  /// The IDs of the containers that the member can see, or nil for all containers.
  public var containers: [String]?
  /// Whether the member may see the e-mail addresses of accounts.
  public var showsAccounts: Bool

  /// The e-mail address of the member, for the audit log.
  public var member: String

  public init(containers: [String]? = nil, showsAccounts: Bool, member: String = "") {
    self.containers = containers
    self.member = member
    self.showsAccounts = showsAccounts
  }
}

/// Authenticates the requests to the console, and decides what a member of the team may do.
public protocol WebConsole: Sendable {
  /// - Throws: `AUTHENTICATION_REQUIRED` without a session, `ACCESS_DENIED` without the
  ///   permission, `NOT_FOUND` for an unknown path, and the errors of the requests that the console
  ///   answers itself, such as a sign-in.
  func decide(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision
}
