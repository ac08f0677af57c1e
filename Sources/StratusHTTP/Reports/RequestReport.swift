public import HTTPTypes
public import StratusDomain
import StratusWire

/// The facts about one request from which logs, metrics and traces are made. They do not include
/// the contents of the request.
public final class RequestReport: Sendable {
  /// The ID in the answer's field `X-Apple-Request-UUID`.
  public let requestID: String
  public let status: Int
  /// The time when the request arrived, in milliseconds since 1970 UTC.
  public let beganAt: Int64
  /// The time when the answer was made, in milliseconds since 1970 UTC.
  public let endedAt: Int64
  /// The time from the arrival of the request to the beginning of the answer.
  public let duration: Duration
  public let bytesIn: Int
  public let bytesOut: Int
  /// The kind of the request. The set of routes is fixed, so a route can label metrics.
  public let route: String
  /// The database of the request, or nil if there is none.
  public let address: DatabaseAddress?
  /// The error that refused the request, or nil.
  public let refusal: ServerError?
  public let caller: Caller
  /// The app and its version as the request named them. It is empty if the request named no app or
  /// has no database.
  public let app: String
  private let head: HTTPRequest

  init(
    requestID: String, status: Int, beganAt: Int64, endedAt: Int64, duration: Duration,
    bytesIn: Int, bytesOut: Int, route: String, address: DatabaseAddress?, refusal: ServerError?,
    caller: Caller, app: String, head: HTTPRequest
  ) {
    self.requestID = requestID
    self.status = status
    self.beganAt = beganAt
    self.endedAt = endedAt
    self.duration = duration
    self.bytesIn = bytesIn
    self.bytesOut = bytesOut
    self.route = route
    self.address = address
    self.refusal = refusal
    self.caller = caller
    self.app = app
    self.head = head
  }

  public var method: HTTPRequest.Method { head.method }

  /// `ok`, or the code of the error that refused the request.
  public var outcome: String { refusal?.code.rawValue ?? RequestEntry.okay }

  /// The reason of the error without the caller's words, or nil.
  public var reason: String? { refusal.map { Router.loggedForm(of: $0.reason) } }

  /// The header field with the context of a trace (W3C Trace Context), or nil.
  public var traceParent: String? { head.headerFields[Self.traceParentName] }

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
  ///   - duration: the time since then, by ``stopwatch``.
  func report(
    _ request: HTTPRequest, _ exchange: Exchange, _ status: HTTPResponse.Status,
    _ body: AnswerBody, since beganAt: Int64, after duration: Duration
  ) -> RequestReport {
    var size = 0
    switch body {
    case .bytes(let bytes): size = bytes.count
    case .file(_, let range): size = range.count
    case .events, .absent: break
    }
    return RequestReport(
      requestID: exchange.uuid, status: status.code, beganAt: beganAt, endedAt: ambient.now(),
      duration: duration, bytesIn: exchange.sentBytes, bytesOut: size, route: route(exchange),
      address: exchange.target?.address, refusal: exchange.refusal, caller: exchange.caller,
      app: exchange.app, head: request)
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
