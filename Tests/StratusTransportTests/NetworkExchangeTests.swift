import Foundation
import Testing

@testable import StratusTransport

/// Requests over real connections.
@Suite struct NetworkExchanges {
  private func request(
    _ url: String, body: [UInt8] = Array("{}".utf8), timeoutSeconds: Double = LocalServer.patience
  ) throws -> HTTPRequest {
    HTTPRequest(
      url: try #require(URL(string: url)), headers: ["Content-Type": "application/json"],
      body: body, timeoutSeconds: timeoutSeconds)
  }

  private func url(_ server: LocalServer) -> String { "http://127.0.0.1:\(server.port)/a?b=c" }

  @Test func `an answer that comes in parts arrives complete`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().send(request(url(server)))
    let client = try await server.accepted()
    #expect(client.head.hasPrefix("POST /a?b=c HTTP/1.1\r\n"))
    #expect(client.head.lowercased().contains("content-type: application/json\r\n"))
    #expect(client.head.lowercased().contains("content-length: 2\r\n"))
    client.say("HTTP/1.1 409 Conflict\r\nX-Apple-Thing: 1\r\nContent-Length: 5\r\n\r\nab")
    client.say("cde")
    let answer = try await answered
    #expect(answer.status == 409)
    #expect(answer.headers["x-apple-thing"] == "1")
    #expect(answer.body == Array("abcde".utf8))
  }

  @Test func `connections stay open and are used again`() async throws {
    let server = try LocalServer()
    let exchange = NetworkExchange()
    async let first = exchange.send(request(url(server)))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try await first
    async let second = exchange.send(request(url(server)))
    #expect(await client.nextHead().hasPrefix("POST /a?b=c HTTP/1.1\r\n"))
    client.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(try await second.status == 200)
  }

  @Test func `an incomplete answer is a failure`() async throws {
    let server = try LocalServer()
    let request = try request(url(server))
    let answered = Task { try await NetworkExchange().send(request) }
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
    client.hangUp()
    await #expect(throws: NetworkFailure.lostAfterSending) { try await answered.value }
  }

  @Test
  func `if the server disconnects before it answers, the request is lost after sending`()
    async throws
  {
    let server = try LocalServer()
    let request = try request(url(server))
    let answered = Task { try await NetworkExchange().send(request) }
    try await server.accepted().hangUp()
    await #expect(throws: NetworkFailure.lostAfterSending) { try await answered.value }
  }

  @Test
  func `a request to a server that is not running is reported as lost before sending`()
    async throws
  {
    let port = try LocalServer().port
    let request = try request("http://127.0.0.1:\(port)/")
    await #expect(throws: NetworkFailure.lostBeforeSending) {
      try await NetworkExchange().send(request)
    }
  }

  @Test
  func `a request to a host name without an address is reported as not connected`() async throws {
    let request = try request("http://nowhere.invalid/")
    await #expect(throws: NetworkFailure.notConnected) {
      try await NetworkExchange().send(request)
    }
  }

  @Test func `a request with an unsupported URL is reported as lost before sending`() async throws {
    let request = try request("gopher://127.0.0.1/")
    await #expect(throws: NetworkFailure.lostBeforeSending) {
      try await NetworkExchange().send(request)
    }
  }

  @Test
  func `a request times out if the server does not answer`() async throws {
    let server = try LocalServer()
    let request = try request(url(server), timeoutSeconds: 0.2)
    await #expect(throws: NetworkFailure.timedOut) { try await NetworkExchange().send(request) }
    withExtendedLifetime(server) {}
  }

  @Test func `a cancelled request stops immediately`() async throws {
    let server = try LocalServer()
    let request = try request(url(server))
    let waiting = Task { try await NetworkExchange().send(request) }
    let client = try await server.accepted()
    waiting.cancel()
    await #expect(throws: NetworkFailure.cancelled) { try await waiting.value }
    #expect(await client.isLeft())
  }

  @Test
  func `an answer that is too large is refused, with or without a Content-Length`() async throws {
    for head in ["Content-Length: 2000000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\n"] {
      let server = try LocalServer()
      var request = try request(url(server))
      request.answerBytesMax = 10
      let answered = Task { [request] in try await NetworkExchange().send(request) }
      let client = try await server.accepted()
      client.say("HTTP/1.1 200 OK\r\n" + head + "01234567890")
      let answer = try await answered.value
      #expect(answer.isTooLarge)
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
      #expect(await client.isLeft())
    }
  }

  @Test func `an answer of exactly the size limit is accepted`() async throws {
    let server = try LocalServer()
    var request = try request(url(server))
    request.answerBytesMax = 5
    let answered = Task { [request] in try await NetworkExchange().send(request) }
    try await server.accepted().say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde")
    let answer = try await answered.value
    #expect(!answer.isTooLarge)
    #expect(answer.body == Array("abcde".utf8))
  }

  @Test func `a request with an endless answer fails at the end of its total time`() async throws {
    let server = try LocalServer()
    var request = try request(url(server))
    request.totalSeconds = 0.2
    request.answerBytesMax = .max
    let answered = Task { [request] in try await NetworkExchange().send(request) }
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n")
    client.sendForever("x")
    await #expect(throws: NetworkFailure.timedOut) { try await answered.value }
  }

  @Test(arguments: [Double.infinity, .nan, 1e300, -1])
  func `a request with an invalid time-out does not crash`(seconds: Double) async throws {
    let port = try LocalServer().port
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let request = HTTPRequest(
      url: url, body: [], timeoutSeconds: seconds, totalSeconds: seconds)
    await #expect(throws: NetworkFailure.self) { try await NetworkExchange().send(request) }
  }

  @Test func `a redirect within the server is followed with the body`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().send(request(url(server)))
    let client = try await server.accepted()
    client.say("HTTP/1.1 307 Moved\r\nLocation: /d?e=f\r\nContent-Length: 0\r\n\r\n")
    let head = await client.nextHead()
    #expect(head.hasPrefix("POST /d?e=f HTTP/1.1\r\n"))
    #expect(head.lowercased().contains("content-length: 2\r\n"))
    client.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
    #expect(try await answered.body == Array("a".utf8))
  }

  @Test
  func `a redirect to another server is returned, and that server gets no request`() async throws {
    let server = try LocalServer()
    let other = try LocalServer()
    async let answered = NetworkExchange().send(request(url(server)))
    try await server.accepted().say(
      "HTTP/1.1 307 Moved\r\nLocation: \(url(other))\r\nContent-Length: 0\r\n\r\n")
    #expect(try await answered.status == 307)
    withExtendedLifetime(other) {}
  }

  @Test func `a redirect loop ends`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().send(request(url(server)))
    let client = try await server.accepted()
    let moved = "HTTP/1.1 307 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
    client.say(moved)
    for _ in 0..<Redirect.countMax {
      #expect(await client.nextHead().hasPrefix("POST / "))
      client.say(moved)
    }
    #expect(try await answered.status == 307)
  }

  @Test func `a large stream arrives complete`() async throws {
    let server = try LocalServer()
    let request = HTTPRequest(
      method: .get, url: try #require(URL(string: url(server))), body: [],
      timeoutSeconds: LocalServer.patience)
    async let answered = NetworkExchange().open(request)
    let client = try await server.accepted()
    let size = 8_000_000
    client.say("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
    client.sendInThread(String(repeating: "x", count: size))
    let answer = try await answered
    var count = 0
    while let bytes = try await answer.body.next() {
      count += bytes.count
    }
    #expect(count == size)
  }
}
