import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusPush
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// Notification streams and long polls, without a socket.
@Suite struct Listening {
  @Test
  func `a stream delivers only new notifications, and resumes after the given last event`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      try await server.queue("old", for: user)
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      let (head, body) = try await anna.open(target)
      #expect(head.status == .ok)
      #expect(head.headerFields[.contentType] == "text/event-stream; charset=UTF-8")
      try await server.queue("1", for: user)
      try await server.queue("2", for: user, from: "c")
      try await server.queue("3", for: user)
      var events = Events(body)
      let first = try #require(try await events.next())
      let second = try #require(try await events.next())
      #expect([first.id, second.id] == ["1", "3"])

      var resumed = Events(try await anna.open(target, lastEventID: first.number).body)
      await server.handOutNotifications()
      #expect(try await resumed.next()?.id == "3")
      var again = Events(try await anna.open(target).body)
      await server.handOutNotifications()
      #expect(try await again.next()?.id == "1", "the device has acknowledged no notification")
    }
  }

  @Test func `an acknowledged notification is not delivered again`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      var events = Events(try await anna.open(target).body)
      try await server.queue("1", for: user)
      try await server.queue("2", for: user)
      let first = try #require(try await events.next())
      let answer = try await anna.ask(
        "notifications/acknowledge", as: "c", ["through": .int(first.number)])
      #expect(answer.status == 200)
      var again = Events(try await anna.open(target).body)
      await server.handOutNotifications()
      #expect(try await again.next()?.id == "2")
    }
  }

  @Test func `a stream position before the acknowledged notification is ignored`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      var events = Events(try await anna.open(target).body)
      for id in ["1", "2"] { try await server.queue(id, for: user) }
      let first = try #require(try await events.next())
      let second = try #require(try await events.next())
      _ = try await anna.ask(
        "notifications/acknowledge", as: "c", ["through": .int(second.number)])
      var again = Events(try await anna.open(target, lastEventID: first.number).body)
      try await server.queue("3", for: user)
      #expect(try await again.next()?.id == "3")
    }
  }

  @Test func `a stream position that the server never issued is ignored`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      var events = Events(try await anna.open(target, lastEventID: .max).body)
      try await server.queue("1", for: try await anna.userName())
      #expect(try await events.next()?.id == "1")
    }
  }

  @Test func `a stream reports that the server was restored from a backup`() async throws {
    let server = try await TestServer()
    let anna = try await server.client("anna@example.org")
    let target = anna.deviceTarget("notifications/stream", clientID: "c")
    let name = try #require(HTTPField.Name("X-Stratus-Epoch"))
    let first = try await anna.open(target).head.headerFields[name]
    #expect(first != nil)
    #expect(try await anna.open(target).head.headerFields[name] == first)
    try server.expireChangeTokens()
    let second = try await anna.open(target).head.headerFields[name]
    #expect(second != nil && second != first)
    await server.stop()
  }

  @Test
  func `a notification queue and a device's position in the queue survive a restart`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-queue-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = MovedClock()
    func withServer(_ body: (TestServer, Client) async throws -> Void) async throws {
      let server = try await TestServer(onDiskIn: folder, live: clock.live)
      let anna = try await server.client("anna@example.org")
      do { try await body(server, anna) } catch {
        await server.stop()
        throw error
      }
      await server.stop()
    }
    try await withServer { server, anna in
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      _ = try await anna.open(target)
      for id in ["1", "2"] { try await server.queue(id, for: try await anna.userName()) }
    }
    try await withServer { server, anna in
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      var events = Events(try await anna.open(target).body)
      await server.handOutNotifications()
      #expect(try await events.next()?.id == "1")
      #expect(try await events.next()?.id == "2")
    }
  }

  @Test func `a poll of a disabled account is refused, even after a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-disabled-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await TestServer(onDiskIn: folder)
    let anna = try await first.client("anna@example.org")
    let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
    let target = try token["webcourierURL"].target
    try await first.manage("accounts/disable", ["email": "anna@example.org"])
    #expect(try await anna.open(target).head.status == .notFound)
    await first.stop()
    let second = try await TestServer(onDiskIn: folder)
    let again = Client(router: second.router)
    #expect(try await again.open(target).head.status == .notFound)
    await second.stop()
  }

  /// The test only moves the clock, so the expired session is still stored.
  @Test func `a poll of a session that was unused for two weeks is refused`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let target = try token["webcourierURL"].target
      for id in ["1", "2"] { try await server.queue(id, for: try await anna.userName()) }
      let running = Task { await server.hub.run() }
      #expect(try await anna.open(target).head.status == .ok)
      clock.move(bySeconds: 15 * 86_400)
      #expect(try await anna.open(target).head.status == .notFound)
      running.cancel()
      await running.value
    }
  }

  @Test
  func `a device that was offline for a month begins at the newest notification`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      _ = try await anna.open(target)
      try await server.queue("1", for: try await anna.userName())
      clock.move(bySeconds: 31 * 86_400)
      try await server.pruneNotifications()
      let again = try await server.client("anna@example.org")
      let fresh = again.deviceTarget("notifications/stream", clientID: "c")
      var events = Events(try await again.open(fresh).body)
      try await server.queue("2", for: try await again.userName())
      #expect(try await events.next()?.id == "2")
    }
  }

  @Test func `a poll returns one notification, or an empty answer at its time-out`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let made = try await anna.ask("tokens/create", as: "c", Tokens.request).json
      let target = try made["webcourierURL"].target
      for id in ["1", "2"] { try await server.queue(id, for: try await anna.userName()) }
      let running = Task { await server.hub.run() }
      for id in ["1", "2"] {
        let (head, body) = try await anna.open(target)
        #expect(head.headerFields[.accessControlAllowOrigin] == "*")
        var bodies = body.makeAsyncIterator()
        #expect(try JSON(parsing: try #require(await bodies.next()))["ck"]["nid"] == .string(id))
      }
      let waiting = Task { try await anna.open(target) }
      while server.hub.listenerCount == 0 { await LiveWire.turn() }
      clock.move(bySeconds: 30)
      server.hub.tick()
      let (head, body) = try await waiting.value
      #expect(head.status == .ok)
      for await _ in body { Issue.record("the body of an empty answer must have no bytes") }
      running.cancel()
      await running.value
    }
  }

  @Test
  func `a request for a notification stream with invalid credentials is refused`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      let otherUser = server.otherUser
      let (nobody, _) = try await otherUser.open(
        otherUser.deviceTarget("notifications/stream", clientID: "c"))
      #expect(nobody.status == .misdirectedRequest)
      let (nameless, _) = try await anna.open(anna.deviceTarget("notifications/stream"))
      #expect(nameless.status == .badRequest)
      anna.webAuthToken = "rubbish"
      let (head, body) = try await anna.open(
        anna.deviceTarget("notifications/stream", clientID: "c"))
      #expect(head.status == .unauthorized)
      #expect(head.headerFields[.contentType] == "application/json; charset=UTF-8")
      var bodies = body.makeAsyncIterator()
      let json = try JSON(parsing: try #require(await bodies.next()))
      #expect(json["serverErrorCode"] == "AUTHENTICATION_FAILED")
    }
  }

  @Test func `the endpoint for notification streams refuses other methods than GET`() async throws {
    try await withAnna { anna in
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      let answer = try await anna.send(.post, target)
      #expect(answer.status == 405)
      let preflight = try await anna.send(.options, "/push/x", headers: ["Origin": "https://a.b"])
      #expect(preflight.status == 200)
      #expect(try preflight.header("Access-Control-Allow-Origin") == "*")
    }
  }
}
