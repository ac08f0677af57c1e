import Foundation
import StratusPush
import StratusTesting
import StratusWire
import Testing

/// Clients that stop in the middle of a request or an answer, over real sockets. All time-outs are
/// an hour, except the grace period and those that a test sets. If the server breaks the tested
/// rule, the test therefore reaches its time limit.
@Suite(.timeLimit(.minutes(15))) struct `Stalled clients` {
  // The next tests show that the server stops. They pass if `ConnectionScene.with` returns.

  @Test func `A truncated body does not delay the server's stop`() async throws {
    try await ConnectionScene.with { scene in
      let wire = try scene.stalled(scene.head(length: 500) + #"{"rec"#)
      let health = try await scene.exchange(
        "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(health.hasPrefix("HTTP/1.1 200 "))
      scene.end()
      try await wire.waitForEnd()
    }
  }

  @Test func `A truncated upload does not delay the server's stop`() async throws {
    try await ConnectionScene.with { scene in
      let target = try await scene.uploadTarget()
      let wire = try scene.stalled(
        "PUT \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n"
          + "Expect: 100-continue\r\n\r\n")
      // The endpoint now reads the body.
      try await wire.wait(for: "HTTP/1.1 100 Continue\r\n\r\n")
      wire.send(String(repeating: "x", count: 100_000))
      scene.end()
      try await wire.waitForEnd()
    }
  }

  @Test func `An unread download does not delay the server's stop`() async throws {
    try await ConnectionScene.with { scene in
      let target = try await scene.fileTarget(bytes: 40_000_000)
      let wire = try LiveWire(port: scene.port)
      wire.get(target)
      try await wire.wait(for: "HTTP/1.1 200 OK\r\n")
      scene.end()
    }
  }

  @Test func `Unread answers to pipelined requests do not delay the server's stop`() async throws {
    try await ConnectionScene.with { scene in
      let wire = try LiveWire(port: scene.port)
      let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let sent = await wire.sendUnread(String(repeating: request, count: 400_000))
      #expect(sent < 400_000 * request.utf8.count, "the server must stop reading")
      scene.end()
    }
  }

  // Tests of the server's time-outs.

  @Test func `An incomplete request head is answered with 408`() async throws {
    try await ConnectionScene.with {
      $0.headTimeout = .milliseconds(100)
    } _: { scene in
      let answer = try await scene.exchange("GET /health HTTP/1.1\r\nHo")
      #expect(answer.hasPrefix("HTTP/1.1 408 "))
      #expect(answer.contains("Connection: close\r\n"))
      #expect(answer.contains(#""serverErrorCode":"BAD_REQUEST""#))
    }
  }

  @Test func `An incomplete short body is answered with 408`() async throws {
    try await ConnectionScene.with {
      $0.bodyTimeout = .milliseconds(100)
    } _: { scene in
      let answer = try await scene.exchange(scene.head(length: 500) + #"{"rec"#)
      #expect(answer.hasPrefix("HTTP/1.1 408 "))
      #expect(answer.contains("the request did not arrive in time"))
    }
  }

  @Test(arguments: ["records/lookup", "records/modify"])
  func `An incomplete long body is refused by its endpoint`(endpoint: String) async throws {
    try await ConnectionScene.with {
      $0.bodyTimeout = .milliseconds(100)
    } _: { scene in
      let answer = try await scene.exchange(scene.head(endpoint, length: 500_000) + #"{"rec"#)
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      #expect(answer.contains("the request did not arrive in time"))
    }
  }

  @Test func `The server closes the connection of an upload that stops`() async throws {
    try await ConnectionScene.with {
      $0.bodyTimeout = .milliseconds(100)
    } _: { scene in
      let target = try await scene.uploadTarget()
      let answer = try await scene.exchange(
        "PUT \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\nabc")
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
  }

  @Test func `The server closes the connection of a client that reads no answers`() async throws {
    try await ConnectionScene.with {
      $0.answerTimeout = .milliseconds(200)
    } _: { scene in
      let wire = try LiveWire(port: scene.port)
      let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
      _ = await wire.sendUnread(String(repeating: request, count: 400_000))
      await wire.waitForHangUp()
    }
  }

  /// The server must reset the connection. After an ordinary close, the system would keep the
  /// unread bytes for the client.
  @Test
  func `The server resets the connection of a download that the client does not read`()
    async throws
  {
    try await ConnectionScene.with {
      $0.answerTimeout = .milliseconds(200)
    } _: { scene in
      let target = try await scene.fileTarget(bytes: 40_000_000)
      let wire = try LiveWire(port: scene.port)
      wire.get(target)
      await wire.waitForHangUp()
      #expect(await wire.wasReset)
    }
  }

  @Test(arguments: ["", "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"])
  func `The server closes an idle connection without an error answer`(sent: String) async throws {
    try await ConnectionScene.with {
      $0.idleTimeout = .milliseconds(100)
    } _: { scene in
      let answer = try await scene.exchange(sent)
      #expect(sent.isEmpty ? answer.isEmpty : answer.hasSuffix(#"{"status":"ok"}"#))
    }
  }

  @Test func `Open streams and polls are exempt from time-outs`() async throws {
    try await ConnectionScene.with { settings in
      settings = ConnectionSettings(
        headTimeout: .milliseconds(60), bodyTimeout: .milliseconds(60),
        answerTimeout: .milliseconds(60), idleTimeout: .milliseconds(60),
        gracePeriod: .milliseconds(60))
    } _: { scene in
      let anna = scene.anna
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let stream = try LiveWire(port: scene.port)
      stream.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      try await stream.wait(for: ":\n\n\r\n")
      let poll = try LiveWire(port: scene.port)
      poll.get(try token["webcourierURL"].target)
      while scene.server.hub.listenerCount != 2 { await LiveWire.turn() }
      // Two idle connections that are opened later close at their time-out.
      for _ in 0..<2 { _ = try await scene.exchange("") }
      try await scene.server.queue("1", for: try await anna.userName())
      try await stream.wait(for: #""nid":"1""#)
      try await poll.wait(for: #""nid":"1""#)
    }
  }

  // Tests of the limits of connections.

  @Test func `The number of connections from one address is limited`() async throws {
    try await ConnectionScene.with {
      $0.connectionsPerAddressMax = 2
    } _: { scene in
      let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let first = try scene.stalled(request)
      try await first.wait(for: "}")
      let second = try scene.stalled(request)
      try await second.wait(for: "}")
      let refused = try await scene.exchange("")
      #expect(refused.hasPrefix("HTTP/1.1 503 "))
      #expect(refused.contains("X-Stratus-Limit: connections-per-address\r\n"))
      #expect(refused.contains(#""serverErrorCode":"TRY_AGAIN_LATER""#))
      first.close()
      // The server notices the disconnect with a delay.
      var answer = ""
      repeat {
        answer = try await scene.exchange(
          "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      } while !answer.hasPrefix("HTTP/1.1 200 ")
    }
  }
}

extension LiveWire {
  /// Sends as many bytes as the server accepts while the client reads none.
  ///
  /// - Returns: the number of accepted bytes.
  func sendUnread(_ text: String) async -> Int {
    await apart { descriptor in
      let bytes = Array(text.utf8)
      var sent = 0
      while sent < bytes.count {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // NB: if the socket takes no byte for a second, the server has stopped reading.
        guard poll(&look, 1, 1_000) == 1 else { break }
        let count = bytes[sent...].withUnsafeBytes {
          Foundation.send(
            descriptor, $0.baseAddress, min($0.count, 65_536), Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        if count <= 0 { break }
        sent += count
      }
      return sent
    }
  }

  /// Whether the server has ended the connection by a reset.
  var wasReset: Bool {
    get async {
      await apart { descriptor in
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == ECONNRESET || code == EPIPE
      }
    }
  }

  /// Waits, without reading, until the server has closed the connection.
  func waitForHangUp() async {
    await apart { descriptor in
      var look = pollfd(fd: descriptor, events: 0, revents: 0)
      #if os(Linux)
        look.events = Int16(0x2000)  // POLLRDHUP
      #endif
      _ = poll(&look, 1, -1)
    }
  }
}
