import EventScripts
import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusTransport

@Suite struct Streams {
  private let events = ScriptedEvents()
  private let time = FakeTime()

  private func stream(_ exchange: any HTTPExchange = ScriptedExchange([])) -> NotificationStream {
    NotificationStream(
      connection: Connection(
        to: Connection.Address(
          url: "https://cloud.example.org", container: "iCloud.org.example.App",
          environment: .production, deviceID: "D-1"),
        apiToken: "api", webAuthToken: "web", exchange: exchange, timing: time.timing()),
      exchange: events)
  }

  /// Runs a stream until the test's body ends. The body gets the notifications.
  private func withStream(
    after number: Int64? = nil,
    _ body: (Handoff<NumberedNotification>) async throws -> Void
  ) async throws {
    let heard = Handoff<NumberedNotification>()
    let stream = stream()
    let running = Task { await stream.run(after: number) { heard.put($0) } }
    try await body(heard)
    running.cancel()
    await running.value
  }

  @Test func `a notification stream is requested at the device's path`() async throws {
    try await withStream { _ in
      let request = try await events.opened().request
      #expect(request.method == .get)
      #expect(
        request.url.absoluteString
          == "https://cloud.example.org/device/1/iCloud.org.example.App/production/"
          + "notifications/stream?clientId=D-1&ckAPIToken=api&ckWebAuthToken=web")
      #expect(request.headers["Accept"] == "text/event-stream")
      #expect(request.headers["Last-Event-ID"] == nil)
      // The server sends a heartbeat every 25 s.
      #expect(request.timeoutSeconds > 50 && request.timeoutSeconds < 100)
    }
  }

  @Test func `notifications arrive in order and only once`() async throws {
    try await withStream { heard in
      let body = try await events.opened().accept()
      body.send(": welcome\n\n")
      body.notify(4)
      body.notify(4)
      body.notify(3)
      body.notify(6)
      #expect(await heard.take()?.number == 4)
      let next = await heard.take()
      #expect(next?.number == 6)
      #expect(next?.payload.notificationID == "N-6")
      #expect(
        next?.payload.event == .database(subscriptionID: "all", .private))
    }
  }

  @Test
  func `a lost notification stream resumes after the last received notification`() async throws {
    try await withStream(after: 2) { heard in
      let first = try await events.opened()
      #expect(first.lastEventID == "2")
      let body = first.accept()
      body.notify(3)
      #expect(await heard.take()?.number == 3)
      body.fail(.lostAfterSending)
      await body.closed()
      let second = try await events.opened()
      #expect(second.lastEventID == "3")
      let again = second.accept()
      again.notify(3)
      again.notify(5)
      #expect(await heard.take()?.number == 5)
      again.end()
      #expect(try await events.opened().lastEventID == "5")
      // Each delay is half of 0.5 s, because `chance` is 0. After a stream that has delivered an
      // event, the delays begin with the shortest delay again.
      #expect(time.sleeps == [0.25, 0.25])
    }
  }

  @Test
  func `the first connection and a restore are reported, because notifications may be missed`()
    async throws
  {
    let told = Handoff<Void>()
    let heard = Handoff<NumberedNotification>()
    let stream = stream()
    let running = Task {
      await stream.run(after: nil, opened: { told.put(()) }, deliver: { heard.put($0) })
    }
    let count = Mutex(0)
    let counting = Task { while await told.take() != nil { count.withLock { $0 += 1 } } }
    try await events.opened().refuse(503)
    for (number, epoch, expected) in [(1, "7", 1), (2, "7", 1), (3, "8", 2), (4, "8", 2)] {
      let body = try await events.opened().accept(epoch: epoch)
      body.notify(Int64(number))
      #expect(await heard.take()?.number == Int64(number))
      while count.withLock({ $0 }) < expected { await Task.yield() }
      #expect(count.withLock { $0 } == expected)
      body.end()
    }
    running.cancel()
    counting.cancel()
    await running.value
  }

  @Test
  func `a server that was restored from a backup still delivers notifications`() async throws {
    try await withStream { heard in
      let body = try await events.opened().accept()
      body.notify(90)
      #expect(await heard.take()?.number == 90)
      body.end()
      let second = try await events.opened()
      #expect(second.lastEventID == "90")
      second.accept().notify(41)
      #expect(await heard.take()?.number == 41)
    }
  }

  @Test func `failed attempts to open a stream are repeated at growing intervals`() async throws {
    try await withStream { _ in
      try await events.opened().fail(.lostBeforeSending)
      try await events.opened().fail(.timedOut)
      try await events.opened().refuse(500)
      try await events.opened().refuse(503, headers: ["retry-after": "7"])
      // An intermediary returned a web page instead of the stream.
      try await events.opened().refuse(200, headers: ["content-type": "text/html"])
      for _ in 0..<4 { try await events.opened().fail(.notConnected) }
      _ = try await events.opened()
      #expect(time.sleeps == [0.25, 0.5, 1, 7, 4, 8, 16, 30, 30])
    }
    #expect(NotificationStream.delay(failures: 1, chance: 0.5, asked: nil) == 0.375)
    #expect(NotificationStream.delay(failures: 100, chance: 1, asked: nil) == 60)
    #expect(NotificationStream.delay(failures: 1, chance: 0, asked: 300) == 300)
  }

  @Test func `an unreadable notification does not delay the next notifications`() async throws {
    try await withStream { heard in
      let body = try await events.opened().accept()
      body.send("id: 1\nevent: notification\ndata: {\"aps\":\n\n")
      body.send("id: 2\nevent: something\ndata: {}\n\n")
      body.send("id: two\nevent: notification\ndata: \(databasePayload("x"))\n\n")
      body.notify(3)
      #expect(await heard.take()?.number == 3)
      body.end()
      #expect(try await events.opened().lastEventID == "3")
    }
  }

  @Test func `a notification stream without a reader is closed`() async throws {
    let stream = stream()
    let running = Task { await stream.run(after: nil) { _ in } }
    let body = try await events.opened().accept()
    body.send(":\n\n")
    running.cancel()
    await body.closed()
    await running.value
    #expect(time.sleeps.isEmpty)
  }

  @Test
  func `while an acknowledgement is in progress, only the newest later one waits to be sent`()
    async throws
  {
    let exchange = HeldExchange()
    let stream = stream(exchange)
    stream.acknowledge(through: 1)
    let first = try #require(await exchange.asked.take())
    #expect(
      first.url.path
        == "/database/1/iCloud.org.example.App/production/private/notifications/acknowledge")
    #expect(String(decoding: first.body, as: UTF8.self) == #"{"through":1}"#)
    stream.acknowledge(through: 2)
    stream.acknowledge(through: 3)
    exchange.answers.put(HTTPResponse(status: 200, body: Array("{}".utf8)))
    let second = try #require(await exchange.asked.take())
    #expect(String(decoding: second.body, as: UTF8.self) == #"{"through":3}"#)
    // A refused acknowledgement is not repeated.
    exchange.answers.put(
      HTTPResponse(status: 400, body: Array(refusal("BAD_REQUEST").utf8)))
    exchange.answers.put(HTTPResponse(status: 200, body: Array("{}".utf8)))
    stream.acknowledge(through: 4)
    #expect(
      (await exchange.asked.take()).map { String(decoding: $0.body, as: UTF8.self) }
        == #"{"through":4}"#)
  }

  @Test func `requests use a new device name after it is set`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList), .answer(200, emptyList)])
    let connection = connection(exchange)
    func send() async throws {
      _ = try await connection.send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true)
    }
    try await send()
    connection.identify(as: "kept one")
    try await send()
    let queries = exchange.requests.map { $0.url.query ?? "" }
    #expect(queries[0].hasPrefix("clientId=D-1&"))
    #expect(queries[1].hasPrefix("clientId=kept%20one&"))
  }
}

/// A network that waits for the test before each answer.
final class HeldExchange: HTTPExchange {
  let asked = Handoff<HTTPRequest>()
  let answers = Handoff<HTTPResponse>()

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    asked.put(request)
    guard let answer = await answers.take() else { throw .cancelled }
    return answer
  }
}
