public import HTTPTypes
public import StratusDomain
import StratusWire

/// The facts about one request from which logs, metrics and traces are made. They do not include
/// the contents of the request.
public struct RequestReport: Sendable {
  /// The ID in the answer's field `X-Apple-Request-UUID`.
  public var requestID: String
  public var status: Int
  /// The time when the request arrived, in milliseconds since 1970 UTC.
  public var beganAt: Int64
  /// The time when the answer was made, in milliseconds since 1970 UTC.
  public var endedAt: Int64
  /// The time from the arrival of the request to the beginning of the answer.
  public var duration: Duration
  public var bytesIn: Int
  public var bytesOut: Int
  /// The kind of the request. The set of routes is fixed, so a route can label metrics.
  public var route: String
  /// The database of the request, or nil if there is none.
  public var address: DatabaseAddress?
  /// The error that refused the request, or nil.
  public var refusal: ServerError?
  public var caller: Caller
  /// The app and its version as the request named them. It is empty if the request named no app or
  /// has no database.
  public var app: String
  let head: HTTPRequest

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
