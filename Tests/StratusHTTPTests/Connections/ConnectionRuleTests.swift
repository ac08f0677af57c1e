import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP

/// Requirements on a server in HTTP/1.1 (RFC 9110, RFC 9112), tested over real sockets.
@Suite(.timeLimit(.minutes(15))) struct `Rules of HTTP` {
  static let closing = "Connection: close\r\n\r\n"

  @Test(arguments: [
    "GET /health HTTP/1.1\r\n", "GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
    "GET /health HTTP/1.1\r\nHost: a, b\r\n", "GET /health HTTP/1.1\r\nhost: a/b\r\n",
    "GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n",
  ])
  func `A request without exactly one Host header is refused`(head: String) async throws {
    try await ConnectionScene.with { scene in
      let answer = try await scene.exchange(head + "\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      #expect(answer.contains("exactly one valid Host field"))
    }
  }

  @Test(arguments: [
    "GET /health HTTP/1.0\r\n\r\n", "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET http://a/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  ])
  func `The connection closes after a request with HTTP 1_0 or with Connection close`(
    request: String
  )
    async throws
  {
    try await ConnectionScene.with { scene in
      let answer = try await scene.exchange(request)
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      #expect(answer.contains("Connection: close\r\n"))
    }
  }

  @Test(arguments: [
    ("hello\r\n\r\n", "400"), ("GET / HTTP/9.9\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"),
    ("GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: a\r\n\r\n", "431"),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 100_000))\r\n\r\n", "431"),
  ])
  func `Malformed and overlong requests are answered with a JSON error`(
    text: String, status: String
  )
    async throws
  {
    try await ConnectionScene.with { scene in
      let answer = try await scene.exchange(text)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
      let place = try #require(answer.range(of: "\r\n\r\n"))
      let body = try JSON(parsing: Array(answer[place.upperBound...].utf8))
      #expect(body["serverErrorCode"] == "BAD_REQUEST")
      #expect(body["reason"].string?.isEmpty == false)
      #expect(body["uuid"].string?.isEmpty == false)
    }
  }

  @Test func `Pipelined requests are answered in order, even if the client stops sending`()
    async throws
  {
    try await ConnectionScene.with { scene in
      let names = (0..<50).map { "/nowhere/\($0)" }
      let text = names.map { "HEAD \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
      let last = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
      let answer = try await Wire(port: scene.port).exchange(
        Array((text + last).utf8), leaves: true)
      #expect(answer.components(separatedBy: "HTTP/1.1 404 ").count == 51)
      #expect(answer.hasSuffix(#"{"status":"ok"}"#))
    }
  }

  @Test func `The health checks and users-caller also answer HEAD, without a body`() async throws {
    try await ConnectionScene.with { scene in
      for target in ["/health", "/health/live", "/health/ready"] {
        let answer = try await scene.exchange(
          "HEAD \(target) HTTP/1.1\r\nHost: a\r\n" + Self.closing)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.contains("Content-Length: 15\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
      }
      let target = scene.anna.target("users/caller")
      let answer = try await scene.exchange("HEAD \(target) HTTP/1.1\r\nHost: a\r\n" + Self.closing)
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func `A client that expects 100 Continue gets the status 100 or an error`() async throws {
    try await ConnectionScene.with { scene in
      let fields = "Host: a\r\nExpect: 100-continue\r\nConnection: close\r\n"
      let wire = try LiveWire(port: scene.port)
      wire.send("POST /health HTTP/1.1\r\n\(fields)Content-Length: 2\r\n\r\n")
      try await wire.wait(for: "HTTP/1.1 100 Continue\r\n\r\n")
      wire.send("{}")
      try await wire.wait(for: #"{"status":"ok"}"#)
      let path = scene.server.otherUser.target("records/nothing")
      let refused = try await scene.exchange(
        "POST \(path) HTTP/1.1\r\n\(fields)Content-Length: 500000\r\n\r\n")
      #expect(refused.hasPrefix("HTTP/1.1 404 "))
    }
  }

  /// RFC 9110 §5.6.7 contains the first date. The others are a leap day, the last second of 2099,
  /// and the time 0.
  @Test(
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] as [(Int64, String)])
  func `The Date header has the format of HTTP dates`(second: Int64, text: String) {
    #expect(DateText().text(at: second * 1_000 + 999) == text)
  }
}

/// The web pages that may send requests.
@Suite struct `Origins of web pages` {
  static func fields(from origin: String, allowed: Set<String>?) -> HTTPFields {
    var fields = HTTPFields()
    CORSHeaders.add(to: &fields, for: [.origin: origin], allowed: allowed)
    CORSHeaders.addPreflight(to: &fields, for: [.origin: origin])
    return fields
  }

  @Test func `An allowed origin may send credentials`() {
    let fields = Self.fields(from: "https://A.example", allowed: ["https://a.example"])
    #expect(fields[.accessControlAllowOrigin] == "https://A.example")
    #expect(fields[.accessControlAllowCredentials] == "true")
    #expect(fields[.accessControlAllowMethods]?.contains("POST") == true)
    #expect(fields[.vary] == "Origin")
  }

  @Test func `An origin that is not allowed gets no CORS headers`() {
    let fields = Self.fields(from: "https://b.example", allowed: ["https://a.example"])
    #expect(fields[.accessControlAllowOrigin] == nil)
    #expect(fields[.accessControlAllowCredentials] == nil)
    #expect(fields[.accessControlAllowMethods] == nil)
    #expect(fields[.vary] == "Origin")
  }

  @Test
  func `Without a list of allowed origins, every page may send requests without credentials`() {
    let fields = Self.fields(from: "https://b.example", allowed: nil)
    #expect(fields[.accessControlAllowOrigin] == "https://b.example")
    #expect(fields[.accessControlAllowCredentials] == nil)
    #expect(fields[.accessControlAllowMethods] != nil)
  }

  @Test func `A request from an origin that is not listed is refused`() {
    var exchange = Exchange(uuid: "u")
    exchange.allowedOrigins = ["https://a.example"]
    func request(_ origin: String?) -> HTTPRequest {
      var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
      request.headerFields[.origin] = origin
      return request
    }
    let error = #expect(throws: ServerError.self) {
      try exchange.requireOrigin(of: request("https://b.example"))
    }
    #expect(error?.code == .accessDenied)
    #expect(throws: Never.self) { try exchange.requireOrigin(of: request("https://a.example")) }
    #expect(throws: Never.self) { try exchange.requireOrigin(of: request(nil)) }
  }
}
