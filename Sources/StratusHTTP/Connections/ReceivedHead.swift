import Foundation
import HTTPTypes
import NIOHTTP1
import StratusDomain
import StratusWire

/// The reason why a request is refused before it reaches the router.
struct HeadRefusal: Error {
  let status: HTTPResponse.Status
  let reason: String

  /// The error that the body of the answer contains.
  var error: ServerError { .badRequest(reason) }
}

/// Converts the head from the HTTP decoder into the type that the router accepts.
///
/// NB: swift-nio-extras has such a conversion, but it parses each target as a URL, which costs as
/// much as the rest of the head. It also hides the number of `Host` fields.
enum ReceivedHead {
  /// - Throws: ``HeadRefusal`` for a head that RFC 9112 (sections 2.3 and 3.2) requires a server to
  ///   refuse.
  static func request(_ head: HTTPRequestHead) throws(HeadRefusal) -> HTTPRequest {
    guard head.version == .http1_1 || head.version == .http1_0 else {
      throw HeadRefusal(status: .httpVersionNotSupported, reason: Reason.requestVersion)
    }
    var fields = HTTPFields()
    fields.reserveCapacity(head.headers.count)
    var hosts = 0
    var host: String?
    for (name, value) in head.headers {
      if name.utf8.count == 4, name.lowercased() == "host" {
        hosts += 1
        host = value
      } else if let name = HTTPField.Name(name) {
        fields.append(HTTPField(name: name, value: value))
      }
    }
    let isModern = head.version == .http1_1
    guard hosts == 1 || hosts == 0 && !isModern, isHost(host ?? "") else {
      throw HeadRefusal(status: .badRequest, reason: Reason.requestHost)
    }
    return HTTPRequest(
      method: try method(head.method), scheme: "http",
      authority: host.flatMap { $0.isEmpty ? nil : $0 },
      path: path(head.uri), headerFields: fields)
  }

  /// Returns the length of the body that follows the head, or nil if the head does not state it.
  static func bodyLength(_ request: HTTPRequest) -> Int? {
    if request.headerFields.contains(.transferEncoding) { return nil }
    guard let text = request.headerFields[.contentLength] else { return 0 }
    return Int(text)
  }

  private static func method(_ method: HTTPMethod) throws(HeadRefusal) -> HTTPRequest.Method {
    switch method {
    case .GET: return .get
    case .POST: return .post
    case .PUT: return .put
    case .HEAD: return .head
    case .OPTIONS: return .options
    default:
      guard let other = HTTPRequest.Method(method.rawValue) else {
        throw HeadRefusal(status: .badRequest, reason: Reason.requestNotHTTP)
      }
      return other
    }
  }

  /// Returns the target without the scheme and the host, which a client includes if it uses a proxy
  /// (RFC 9112 §3.2.2).
  private static func path(_ target: String) -> String {
    if target.utf8.first == UInt8(ascii: "/") { return target }
    guard let mark = target.range(of: "://") else { return target }
    let rest = target[mark.upperBound...]
    guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[slash] == "/" ? String(rest[slash...]) : "/" + rest[slash...]
  }

  /// Whether a text can be a host with a port. The server uses this text in the URLs of its
  /// answers.
  static func isHost(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
        UInt8(ascii: "~"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
  }
}
