import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusPush
import StratusTesting
import StratusWire
import Testing

/// Notification streams and long polls over real sockets.
@Suite struct `Notification streams and polls over a socket` {
  /// Runs a server on a port of its own. The server's notification hub runs in the background.
  func withSocket(
    limits: LimitSettings = .unpaced,
    _ body: @escaping @Sendable (TestServer, Client, UInt16) async throws -> Void
  ) async throws {
    try await ConnectionScene.with(limits: limits) { scene in
      try await body(scene.server, scene.anna, scene.port)
    }
  }

  /// The JSON text of a notification's ID. If `id` ends with a hyphen, the text matches every ID
  /// that begins with `id`.
  static func said(_ id: String) -> String {
    id.hasSuffix("-") ? #""nid":"\#(id)"# : #""nid":"\#(id)""#
  }

  static func waitForListeners(_ count: Int, at server: TestServer) async {
    while server.hub.listenerCount != count { await LiveWire.turn() }
  }

  @Test func `a notification stream has a head, and an event for each notification`() async throws {
    try await withSocket { server, anna, port in
      let wire = try LiveWire(port: port)
      wire.get(
        anna.deviceTarget("notifications/stream", clientID: "c"),
        "Origin: https://a.example\r\n")
      let head = try await wire.wait(for: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(head.contains("Content-Type: text/event-stream"))
      #expect(head.contains("Access-Control-Allow-Origin: https://a.example"))
      try await wire.wait(for: ":\n\n\r\n")
      try await server.queue("1", for: try await anna.userName())
      let chunk = try await wire.wait(for: "\n\n\r\n")
      let lines = chunk.split(separator: "\r\n", omittingEmptySubsequences: false)
      let event = lines[1]
      #expect(Int(lines[0], radix: 16) == event.utf8.count)
      #expect(event.contains(#/^id: [0-9]+\nevent: notification\ndata: \{/#))
      #expect(event.contains(#""nid":"1""#))
    }
  }

  @Test
  func `a notification stream whose connection breaks resumes after its last event`() async throws {
    try await withSocket { server, anna, port in
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      let user = try await anna.userName()
      let first = try LiveWire(port: port)
      first.get(target)
      try await first.wait(for: ":\n\n\r\n")
      try await server.queue("1", for: user)
      let event = try await first.wait(for: Self.said("1"))
      let number = try #require(event.firstMatch(of: #/id: ([0-9]+)\n/#)).output.1
      first.close()
      await Self.waitForListeners(0, at: server)
      try await server.queue("2", for: user)
      let second = try LiveWire(port: port)
      second.get(target, "Last-Event-ID: \(number)\r\n")
      let text = try await second.wait(for: Self.said("2"))
      #expect(!text.contains(Self.said("1")))
      let third = try LiveWire(port: port)
      third.get(target)
      try await third.wait(for: Self.said("1"))
      try await third.wait(for: Self.said("2"))
    }
  }

  @Test func `the server notices that the client of a stream or a poll disconnects`() async throws {
    try await withSocket { server, anna, port in
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let poll = try token["webcourierURL"].target
      var wires: [LiveWire] = []
      for number in 0..<20 {
        let wire = try LiveWire(port: port)
        wire.get(
          number % 2 == 0
            ? anna.deviceTarget("notifications/stream", clientID: "c\(number)") : poll)
        wires.append(wire)
      }
      await Self.waitForListeners(20, at: server)
      for wire in wires { wire.close() }
      await Self.waitForListeners(0, at: server)
    }
  }

  /// CloudKit JS uses one connection in this order: create a token, poll, call, poll, register,
  /// poll.
  @Test func `polls and other requests can take turns on one connection`() async throws {
    try await withSocket { server, anna, port in
      let user = try await anna.userName()
      let wire = try LiveWire(port: port)
      func post(_ endpoint: String, _ body: JSON) async throws -> JSON {
        let text = String(decoding: try body.bytes, as: UTF8.self)
        wire.send(
          "POST \(anna.deviceTarget(endpoint, clientID: "c")) HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        return try await Self.answer(wire)
      }
      let made = try await post("tokens/create", Tokens.request)
      let url = try #require(made["webcourierURL"].string)
      #expect(url.hasPrefix("http://localhost/push/"))
      let target = try made["webcourierURL"].target
      try await server.queue("1", for: user)
      wire.get(target)
      #expect(try await Self.answer(wire)["ck"]["nid"] == "1")
      wire.get(target)
      await Self.waitForListeners(1, at: server)
      try await server.queue("2", for: user)
      #expect(try await Self.answer(wire)["ck"]["nid"] == "2")
      let again = try await post(
        "tokens/register", Tokens.request.with("apnsToken", made["apnsToken"]))
      #expect(again == made)
      // A request that is pipelined after a waiting poll is answered after the poll.
      wire.get(target)
      wire.get(anna.target("users/caller"))
      await Self.waitForListeners(1, at: server)
      try await server.queue("3", for: user)
      #expect(try await Self.answer(wire)["ck"]["nid"] == "3")
      #expect(try await Self.answer(wire)["userRecordName"].string == user)
    }
  }

  @Test
  func `a notification stream can start on a connection that has served other requests`()
    async throws
  {
    try await withSocket { server, anna, port in
      let wire = try LiveWire(port: port)
      wire.get(anna.target("users/caller"))
      wire.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      _ = try await Self.answer(wire)
      try await wire.wait(for: ":\n\n\r\n")
      try await server.queue("1", for: try await anna.userName())
      try await wire.wait(for: Self.said("1"))
      wire.close()
      await Self.waitForListeners(0, at: server)
    }
  }

  @Test func `a refused notification stream gets an ordinary error answer`() async throws {
    try await withSocket { server, anna, port in
      let wire = try LiveWire(port: port)
      let otherUser = server.otherUser
      wire.get(otherUser.deviceTarget("notifications/stream", clientID: "c"))
      let head = try await wire.wait(for: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 421 "))
      try await wire.wait(for: #""serverErrorCode":"AUTHENTICATION_REQUIRED""#)
      try await wire.wait(for: "}")
      wire.get(anna.target("users/caller"))
      #expect(try await Self.answer(wire)["userRecordName"].string != nil)
    }
  }

  @Test
  func `the next poll gets a notification that arrives after a poll's connection broke`()
    async throws
  {
    try await withSocket { server, anna, port in
      let made = try await anna.ask("tokens/create", as: "c", Tokens.request).json
      let target = try made["webcourierURL"].target
      let lost = try LiveWire(port: port)
      lost.get(target)
      await Self.waitForListeners(1, at: server)
      lost.close()
      await Self.waitForListeners(0, at: server)
      try await server.queue("1", for: try await anna.userName())
      let wire = try LiveWire(port: port)
      wire.get(target)
      #expect(try await Self.answer(wire)["ck"]["nid"] == "1")
    }
  }

  /// The server sends more bytes than the buffers of both sockets hold. The client reads them
  /// later.
  @Test func `a client that reads a stream slowly receives all notifications`() async throws {
    try await withSocket { server, anna, port in
      let user = try await anna.userName()
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      let wire = try LiveWire(port: port)
      wire.get(target)
      try await wire.wait(for: ":\n\n\r\n")
      let long = String(repeating: "n", count: 20_000)
      // NB: queue all notifications in one call. On a slow machine, the server would otherwise
      // treat the client as one that never reads.
      try await server.queue((1...900).map { "\($0)-\(long)" }, for: user)
      for number in 1...900 { try await wire.wait(for: Self.said("\(number)-")) }
      #expect(server.hub.listenerCount == 1)
    }
  }

  @Test func `notification streams and polls end when the server stops`() async throws {
    try await withSocket { server, anna, port in
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let stream = try LiveWire(port: port)
      stream.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      let poll = try LiveWire(port: port)
      poll.get(try token["webcourierURL"].target)
      await Self.waitForListeners(2, at: server)
      server.hub.close()
      try await stream.wait(for: "\r\n0\r\n\r\n")
      try await stream.waitForEnd()
      let head = try await poll.wait(for: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      #expect(head.contains("Content-Length: 0\r\n"))
    }
  }

  @Test
  func `a notification stream that has ended no longer counts towards the limit of streams`()
    async throws
  {
    try await withSocket(limits: LimitSettings(streamsPerUserMax: 1)) { server, anna, port in
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      let first = try LiveWire(port: port)
      first.get(target)
      try await first.wait(for: ":\n\n\r\n")
      let second = try LiveWire(port: port)
      second.get(target)
      #expect(try await second.wait(for: "\r\n\r\n").hasPrefix("HTTP/1.1 429 "))
      try await second.wait(for: "(streams-per-user)")
      first.close()
      await Self.waitForListeners(0, at: server)
      let third = try LiveWire(port: port)
      third.get(target)
      try await third.wait(for: ":\n\n\r\n")
    }
  }

  @Test func `a disabled account receives no further notification`() async throws {
    try await expectSilence(after: "accounts/disable", status: "401")
  }

  @Test func `a restricted account receives no further notification`() async throws {
    try await expectSilence(after: "accounts/restrict", status: "403")
  }

  /// Sends an operator's request about Anna's account. Expects that the open stream and the open
  /// poll of the account end, and that new ones are refused.
  ///
  /// - Parameter status: the status of the answer to a request for a new stream.
  private func expectSilence(after endpoint: String, status: String) async throws {
    try await withSocket { server, anna, port in
      let user = try await anna.userName()
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let target = try token["webcourierURL"].target
      let stream = try LiveWire(port: port)
      stream.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      try await stream.wait(for: ":\n\n\r\n")
      let poll = try LiveWire(port: port)
      poll.get(target)
      let ben = try await server.client("ben@example.org")
      let other = try LiveWire(port: port)
      other.get(ben.deviceTarget("notifications/stream", clientID: "c"))
      await Self.waitForListeners(3, at: server)

      try await server.manage(endpoint, ["email": "anna@example.org"])
      try await stream.wait(for: "0\r\n\r\n")
      try await stream.waitForEnd()
      #expect(stream.text == "")
      let head = try await poll.wait(for: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      #expect(head.contains("Content-Length: 0\r\n"))
      await Self.waitForListeners(1, at: server)

      try await server.queue("1", for: user)
      poll.get(target)
      #expect(try await poll.wait(for: "\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
      #expect(try await poll.wait(for: "}", balanced: "{").contains("NOT_FOUND"))
      poll.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      #expect(try await poll.wait(for: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
      try await server.queue("2", for: try await ben.userName())
      try await other.wait(for: Self.said("2"))
    }
  }

  /// The test revokes one of two sessions of the same user, as an operator does.
  @Test func `an ended session receives no further notification`() async throws {
    try await withSocket { server, anna, port in
      let user = try await anna.userName()
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let target = try token["webcourierURL"].target
      let known = try await sessions(at: server)
      let again = try await server.client("anna@example.org")
      let stream = try LiveWire(port: port)
      stream.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      try await stream.wait(for: ":\n\n\r\n")
      let poll = try LiveWire(port: port)
      poll.get(target)
      let other = try LiveWire(port: port)
      other.get(again.deviceTarget("notifications/stream", clientID: "d"))
      await Self.waitForListeners(3, at: server)

      for session in known { try await server.manage("web-tokens/revoke", ["id": session]) }
      try await stream.wait(for: "0\r\n\r\n")
      try await stream.waitForEnd()
      let head = try await poll.wait(for: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      await Self.waitForListeners(1, at: server)

      try await server.queue("1", for: user)
      try await other.wait(for: Self.said("1"))
      poll.get(target)
      #expect(try await poll.wait(for: "\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
      #expect(try await poll.wait(for: "}", balanced: "{").contains("NOT_FOUND"))
      poll.get(anna.deviceTarget("notifications/stream", clientID: "c"))
      #expect(try await poll.wait(for: "\r\n\r\n").hasPrefix("HTTP/1.1 421 "))
    }
  }

  /// The IDs of Anna's sessions.
  private func sessions(at server: TestServer) async throws -> [JSON] {
    try await server.manage("web-tokens/list", [:])["webTokens"].array?
      .filter { $0["email"] == "anna@example.org" }.map { $0["id"] } ?? []
  }

  /// Returns the JSON body of the next answer.
  static func answer(_ wire: LiveWire) async throws -> JSON {
    let head = try await wire.wait(for: "\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
    let body = try await wire.wait(for: "}", balanced: "{")
    return try JSON(parsing: Array(body.utf8))
  }
}

extension LiveWire {
  /// Reads until as many closing texts as opening texts have arrived.
  func wait(for closing: String, balanced opening: String) async throws -> String {
    var body = ""
    repeat {
      body += try await wait(for: closing)
    } while body.components(
      separatedBy: opening
    ).count != body.components(separatedBy: closing).count
    return body
  }
}
