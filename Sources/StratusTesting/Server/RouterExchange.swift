import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTransport
import StratusWire

/// Passes requests directly to a router, without a socket.
struct RouterExchange: HTTPExchange {
  let router: Router

  func send(
    _ request: StratusTransport.HTTPRequest
  ) async throws(NetworkFailure) -> StratusTransport.HTTPResponse {
    let head = Self.head(of: request)
    let (answer, contents) = await router.answer(head, body: WholeBody(request.body))
    let body: [UInt8]
    do throws(ServerError) { body = try await contents.collected() } catch {
      throw .lostAfterSending
    }
    return StratusTransport.HTTPResponse(
      status: answer.status.code, headers: Self.headers(of: answer), body: body)
  }

  /// Returns the request's head as the router receives it, without the body.
  static func head(of request: StratusTransport.HTTPRequest) -> HTTPTypes.HTTPRequest {
    var head = HTTPTypes.HTTPRequest(
      method: request.method == .get ? .get : .post, scheme: "http", authority: "stratus.test",
      path: request.url.target)
    for (name, value) in request.headers {
      if let name = HTTPField.Name(name) { head.headerFields[name] = value }
    }
    return head
  }

  /// Returns the answer's header fields, with names in lower case.
  static func headers(of answer: HTTPTypes.HTTPResponse) -> [String: String] {
    var headers: [String: String] = [:]
    for field in answer.headerFields { headers[field.name.canonicalName] = field.value }
    return headers
  }
}

extension URL {
  /// The path and query as they are sent over the wire.
  fileprivate var target: String {
    let path = path(percentEncoded: true)
    guard let query = query(percentEncoded: true) else { return path }
    return "\(path)?\(query)"
  }
}
