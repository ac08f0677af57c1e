import HTTPTypes
public import StratusDomain
public import StratusWire

/// The facts about one request from which logs, metrics and traces are made. They do not include
/// the contents of the request.
///
/// NB: a report waits in a ``ReportQueue``, so it has only values that observers read. Otherwise
/// the request's memory could not be used again soon.
public final class RequestReport: Sendable {
  /// The ID in the answer's field `X-Apple-Request-UUID`.
  public let requestID: String
  public let method: String
  /// The header field with the context of a trace (W3C Trace Context), or nil.
  public let traceParent: String?
  public let status: Int
  /// The time when the request arrived, in milliseconds since 1970 UTC.
  public let beganAt: Int64
  /// The time when the answer was made, in milliseconds since 1970 UTC.
  public let endedAt: Int64
  /// The time from the arrival of the request to the beginning of the answer.
  public let nanoseconds: Int64
  public let bytesIn: Int
  public let bytesOut: Int
  /// The kind of the request. The set of routes is fixed, so a route can label metrics.
  public let route: String
  /// The database of the request, or nil if there is none.
  public let address: DatabaseAddress?
  /// `ok`, or the code of the error that refused the request.
  public let outcome: String
  /// The reason of the error without the caller's words, or nil.
  public let reason: String?
  /// The number of steps of work, of about 1 µs each.
  public let steps: Int
  /// The user's record name in the container, or nil if the caller is not signed in.
  public let userRecordName: String?
  /// The first characters of the ID of the caller's session, or nil if there is none.
  public let session: String?
  /// The ID that the client gave itself.
  public let deviceID: String
  /// The address of the client's connection, or nil if there is no connection.
  public let clientAddress: String?
  /// The app and its version as the request named them. It is empty if the request named no app or
  /// has no database.
  public let app: String
  /// The positions of the change tokens in the answer.
  public let positions: [SyncNotes.Position]
  /// The form of the request's query, without values, or nil if there is none. An example is
  /// `Note where title EQUALS`.
  public let query: String?
  /// The plan of the request's query, or nil. Only reports of slow requests have it.
  public let plan: QueryExplanation?

  /// - Parameters:
  ///   - refusal: the error that refused the request, or nil.
  ///   - details: the parts that the observers read.
  init(
    requestID: String, status: Int, beganAt: Int64, endedAt: Int64, nanoseconds: Int64,
    bytesIn: Int, bytesOut: Int, route: String, address: DatabaseAddress?, refusal: ServerError?,
    caller: Caller, app: String, head: HTTPRequest, details: ReportDetails
  ) {
    self.requestID = requestID
    self.status = status
    self.beganAt = beganAt
    self.endedAt = endedAt
    self.nanoseconds = nanoseconds
    self.bytesIn = bytesIn
    self.bytesOut = bytesOut
    self.route = route
    self.address = address
    self.app = app
    method = head.method.rawValue
    traceParent = details.hasTraceParents ? head.headerFields[Self.traceParentName] : nil
    outcome = refusal?.code.rawValue ?? RequestEntry.okay
    reason = refusal.map { Router.loggedForm(of: $0.reason) }
    steps = caller.work.steps
    userRecordName = caller.userRecordName
    session = caller.principal.sessionID.map { String($0.prefix(8)) }
    deviceID = caller.deviceID
    clientAddress = caller.clientAddress
    positions = caller.sync.all
    let isSlow = details.plansFrom.map { nanoseconds / 1_000_000 >= $0 } ?? false
    query = isSlow || details.hasQueries ? caller.work.queryForm : nil
    plan = isSlow ? caller.work.queryExplanation : nil
  }

  private static let traceParentName = HTTPField.Name("traceparent") ?? .server
}

extension StoreAddress {
  /// The container's ID for logs. A refused request may name any container, so the text is cut at
  /// ``Limits/nameLengthMax`` characters.
  public var loggedContainer: String {
    container.utf8.count <= Limits.nameLengthMax
      ? container : String(container.prefix(Limits.nameLengthMax))
  }
}

extension Router {
  /// Makes the report of a request.
  ///
  /// - Parameters:
  ///   - beganAt: the time when the request arrived, in milliseconds since 1970 UTC.
  ///   - nanoseconds: the time since then, by ``stopwatch``.
  ///   - details: the parts that the observers read.
  func report(
    _ request: HTTPRequest, _ exchange: Exchange, _ status: HTTPResponse.Status,
    _ body: AnswerBody, since beganAt: Int64, after nanoseconds: Int64,
    _ details: ReportDetails
  ) -> RequestReport {
    var size = 0
    switch body {
    case .bytes(let bytes): size = bytes.count
    case .file(_, let range, _): size = range.count
    case .events, .absent: break
    }
    return RequestReport(
      requestID: exchange.uuid, status: status.code, beganAt: beganAt, endedAt: ambient.now(),
      nanoseconds: nanoseconds, bytesIn: exchange.sentBytes, bytesOut: size,
      route: route(exchange), address: exchange.target?.address, refusal: exchange.refusal,
      caller: exchange.caller, app: exchange.app, head: request, details: details)
  }

  private func route(_ exchange: Exchange) -> String {
    switch exchange.path {
    case .database: return exchange.target?.endpoint ?? "unknown"
    case .management(let endpoint):
      return routes.managementHandler(for: endpoint) == nil ? "unknown" : "management"
    case .upload: return "assets/upload/bytes"
    case .download: return "assets/download/bytes"
    case .stream: return "notifications/stream"
    case .courier: return "notifications/poll"
    case .health: return "health"
    case .home: return "home"
    case .openAPI: return "openapi"
    case .page: return "page"
    case nil: return "unknown"
    }
  }
}
