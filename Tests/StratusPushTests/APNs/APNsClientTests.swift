import Crypto
import Foundation
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusPush

/// A clock that moves only when the test advances it.
final class StillClock: Sendable {
  /// The time 2025-03-01 09:30:00 UTC, in milliseconds since 1970.
  static let start: Int64 = 1_740_821_400_000
  private let time = Mutex(StillClock.start)

  var now: Int64 { time.withLock(\.self) }

  func advance(minutes: Int64) { advance(milliseconds: minutes * 60_000) }

  func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// Requests to Apple's service, and the meaning of its answers. The sources are Apple's pages
/// *Sending notification requests to APNs* and *Handling notification responses from APNs*.
@Suite struct `APNs client` {
  private static let token = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"

  private static func message(
    _ body: String? = "Hello", environment: ContainerEnvironment = .production,
    coalescingKey: String? = nil, number: Int64 = 1, token: String = Self.token
  ) -> APNsMessage {
    var shown = NotificationPayload.Presentation()
    shown.body = body
    shown.isContentAvailable = body == nil
    return APNsMessage(
      deviceToken: token, environment: environment,
      payload: NotificationPayload(
        presentation: shown, containerIdentifier: "iCloud.org.example", notificationID: "N",
        userRecordName: "_u",
        event: .database(subscriptionID: "S", .private)),
      number: number, coalescingKey: coalescingKey, expiresAt: 1_743_413_400_500)
  }

  /// Sends messages one after the other to a fake service with these reactions.
  private static func send(
    _ messages: [APNsMessage], clock: StillClock = StillClock(), isTrusted: Bool = true,
    between: @escaping @Sendable () -> Void = {},
    react: @escaping @Sendable (FakeAPNs.Received, Int) -> FakeAPNs.Reaction
  ) async throws -> (outcomes: [APNsOutcome], received: [FakeAPNs.Received]) {
    try await FakeAPNs.running(react: react) { server in
      let client = try APNsClient(
        key: try FakeAPNs.senderKey(), topic: "org.example.app",
        hosts: APNsHosts(production: server.url, development: server.url),
        trustedCertificatePEM: isTrusted ? server.certificate.pem : nil, now: { clock.now })
      var outcomes: [APNsOutcome] = []
      for message in messages {
        if !outcomes.isEmpty { between() }
        outcomes.append(await client.send(message))
      }
      await client.close()
      return (outcomes, server.received)
    }
  }

  private static func outcome(_ reaction: FakeAPNs.Reaction) async throws -> APNsOutcome? {
    try await send([message()]) { _, _ in reaction }.outcomes.first
  }

  @Test
  func `a visible notification has high priority, the device's path and a signature`() async throws
  {
    let (outcomes, received) = try await Self.send([Self.message()]) { _, _ in .answer(200) }
    #expect(outcomes == [.delivered])
    let request = try #require(received.first)
    #expect(received.count == 1)
    #expect(request.method == "POST")
    #expect(request.path == "/3/device/\(Self.token)")
    #expect(request.headers["apns-topic"] == "org.example.app")
    #expect(request.headers["apns-push-type"] == "alert")
    #expect(request.headers["apns-priority"] == "10")
    #expect(request.headers["apns-expiration"] == "1743413400")
    #expect(request.headers["apns-collapse-id"] == nil)
    #expect(request.headers["authorization"]?.hasPrefix("bearer ") == true)
    let claims = try #require(FakeAPNs.claims(of: request.token))
    #expect(claims.issuedAt == StillClock.start / 1_000)
    #expect(
      String(decoding: request.body, as: UTF8.self) == """
        {"aps":{"alert":{"body":"Hello"}},"ck":{"ce":2,"cid":"iCloud.org.example","nid":"N",\
        "ckuserid":"_u","met":{"sid":"S","dbs":2}}}
        """)
  }

  @Test func `a silent notification is sent as a background notification`() async throws {
    let (_, received) = try await Self.send([Self.message(nil)]) { _, _ in .answer(200) }
    #expect(received.first?.headers["apns-push-type"] == "background")
    #expect(received.first?.headers["apns-priority"] == "5")
  }

  @Test func `a notification with only a category counts as visible`() async throws {
    var message = Self.message().payload
    message.presentation = NotificationPayload.Presentation()
    message.presentation.category = "INVITATION"
    let (_, received) = try await Self.send([
      APNsMessage(
        deviceToken: Self.token, environment: .production, payload: message, number: 1,
        expiresAt: 0)
    ]) { _, _ in .answer(200) }
    #expect(received.first?.headers["apns-push-type"] == "alert")
    #expect(received.first?.headers["apns-priority"] == "10")
  }

  @Test func `a repeated notification has the same APNs ID`() async throws {
    let messages = [
      Self.message(), Self.message(), Self.message(number: 2),
      Self.message(token: "ff"),
    ]
    let (_, received) = try await Self.send(messages) { _, _ in .answer(200) }
    let ids = received.compactMap { $0.headers["apns-id"] }
    try #require(ids.count == 4)
    #expect(ids[0] == ids[1])
    #expect(Set(ids).count == 3)
    for id in ids { #expect(UUID(uuidString: id)?.uuidString.lowercased() == id) }
  }

  @Test(arguments: [
    ("collapse:cats", "cats"), ("sub:private:S", "sub:private:S"),
    ("collapse:" + String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
    // The expected IDs are the SHA-256 digests of a text of 65 "x", and of "grüße".
    (
      "collapse:" + String(repeating: "x", count: 65),
      "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"
    ),
    ("collapse:grüße", "8285d1ad84c6b6e475d3b50dbf90389c8c7a07a278d9ae46d5698cbe872e3834"),
  ])
  func `a collapse ID is short and contains only ASCII`(key: String, id: String) async throws {
    let (_, received) = try await Self.send([Self.message(coalescingKey: key)]) { _, _ in
      .answer(200)
    }
    #expect(received.first?.headers["apns-collapse-id"] == id)
  }

  @Test func `a payload is pruned to four kilobytes`() async throws {
    var payload = Self.message().payload
    payload.presentation.subtitle = String(repeating: "s", count: 5_000)
    let message = APNsMessage(
      deviceToken: Self.token, environment: .production, payload: payload, number: 1,
      expiresAt: 0)
    let (_, received) = try await Self.send([message]) { _, _ in .answer(200) }
    let body = try #require(received.first?.body)
    #expect(body.count <= 4_096)
    let sent = try NotificationPayload(jsonBytes: body)
    #expect(sent.isPruned && sent.presentation.subtitle == nil)
    #expect(sent.presentation.body == "Hello")
  }

  @Test(arguments: [
    (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, "Unregistered"),
    (410, "ExpiredToken"),
  ])
  func `a device that Apple does not know is reported as unregistered`(status: Int, reason: String)
    async throws
  {
    #expect(try await Self.outcome(.answer(status, reason: reason)) == .deviceGone)
  }

  @Test func `a malformed token is not sent to Apple`() async throws {
    let longest = String(repeating: "a", count: Limits.apnsTokenLengthMax)
    let messages = ["", "../../4", "a b", longest + "a", longest].map { Self.message(token: $0) }
    let (outcomes, received) = try await Self.send(messages) { _, _ in .answer(200) }
    #expect(outcomes == Array(repeating: .deviceGone, count: 4) + [.delivered])
    #expect(received.map(\.path) == ["/3/device/\(longest)"])
  }

  @Test(arguments: [(413, "PayloadTooLarge"), (400, "BadCollapseId"), (405, "MethodNotAllowed")])
  func `a permanent refusal by Apple is reported as a refused notification`(
    status: Int, reason: String
  ) async throws {
    let outcome = try await Self.outcome(.answer(status, reason: reason))
    #expect(outcome == .refused(reason: reason))
  }

  @Test(arguments: [
    (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (400, "BadTopic"),
    (400, "TopicDisallowed"),
  ])
  func `an APNs refusal of the server's key or topic counts as a refusal of the sender`(
    status: Int, reason: String
  ) async throws {
    let outcome = try await Self.outcome(.answer(status, reason: reason))
    #expect(outcome == .senderRefused(reason: reason))
  }

  @Test func `a throttling and an internal error of Apple delay only one device`() async throws {
    let outcome = try await Self.outcome(
      .answer(429, reason: "TooManyRequests", retryAfter: "17"))
    #expect(outcome == .later(afterSeconds: 17, reason: "TooManyRequests"))
    let bare = try await Self.outcome(.answer(500, reason: "InternalServerError"))
    #expect(bare == .later(afterSeconds: nil, reason: "InternalServerError"))
  }

  @Test func `a notification is sent later if the service is down`() async throws {
    let outcome = try await Self.outcome(
      .answer(503, reason: "ServiceUnavailable", retryAfter: "3"))
    #expect(outcome == .serviceDown(afterSeconds: 3, reason: "ServiceUnavailable"))
    let mute = try await Self.outcome(.answer(503))
    #expect(mute == .serviceDown(afterSeconds: nil, reason: "status 503"))
  }

  @Test func `a lost connection counts as a service outage, and then a new connection is opened`()
    async throws
  {
    let outcomes = try await FakeAPNs.running(react: { _, number in
      number == 0 ? .hangUp : .answer(200)
    }) { server in
      let client = try APNsClient(
        key: try FakeAPNs.senderKey(), topic: "t", hosts: APNsHosts(production: server.url),
        trustedCertificatePEM: server.certificate.pem, now: { 0 })
      var outcomes: [APNsOutcome] = []
      // The client may send further requests on the old connection until it notices that this
      // connection is closed.
      while outcomes.last != .delivered, outcomes.count < 1_000 {
        outcomes.append(await client.send(Self.message()))
      }
      await client.close()
      return outcomes
    }
    #expect(outcomes.count > 1 && outcomes.last == .delivered)
    for outcome in outcomes.dropLast() {
      guard case .serviceDown(nil, _) = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test func `a server with another certificate receives no notification`() async throws {
    let (outcomes, received) = try await Self.send([Self.message()], isTrusted: false) { _, _ in
      .answer(200)
    }
    guard case .serviceDown = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(received.isEmpty)
  }

  @Test
  func `an expired provider token is renewed, and the notification is sent again`() async throws {
    let first = Mutex<String?>(nil)
    let (outcomes, received) = try await Self.send([Self.message(), Self.message()]) { request, _ in
      let expired = first.withLock { first in
        if first == nil { first = request.token }
        return first
      }
      return request.token == expired
        ? .answer(403, reason: "ExpiredProviderToken") : .answer(200)
    }
    #expect(outcomes == [.delivered, .delivered])
    #expect(received.count == 3)
    #expect(Set(received.map(\.token)).count == 2)
    #expect(received.allSatisfy { FakeAPNs.claims(of: $0.token) != nil })
  }

  @Test func `a renewed provider token that is also refused is not renewed again`() async throws {
    let clock = StillClock()
    let (outcomes, received) = try await Self.send(
      [Self.message(), Self.message()], clock: clock, between: { clock.advance(minutes: 19) }
    ) { _, _ in .answer(403, reason: "ExpiredProviderToken") }
    #expect(
      outcomes == Array(repeating: .senderRefused(reason: "ExpiredProviderToken"), count: 2))
    #expect(received.count == 3)
    #expect(Set(received.map(\.token)).count == 2)
  }

  @Test func `a provider token is used for forty minutes`() async throws {
    let clock = StillClock()
    let messages = Array(repeating: Self.message(), count: 3)
    let (_, received) = try await Self.send(
      messages, clock: clock, between: { clock.advance(minutes: 20) }
    ) { _, _ in .answer(200) }
    let tokens = received.map(\.token)
    try #require(tokens.count == 3)
    #expect(tokens[0] == tokens[1])
    #expect(tokens[1] != tokens[2])
    #expect(FakeAPNs.claims(of: tokens[2])?.issuedAt == StillClock.start / 1_000 + 2_400)
  }

  @Test func `each APNs environment has its own host`() async throws {
    let received = try await FakeAPNs.running(react: { _, _ in .answer(200) }) { server in
      let client = try APNsClient(
        key: try FakeAPNs.senderKey(), topic: "t",
        hosts: APNsHosts(production: server.url + "/live", development: server.url + "/test"),
        trustedCertificatePEM: server.certificate.pem, now: { 0 })
      _ = await client.send(Self.message(environment: .development))
      _ = await client.send(Self.message(environment: .production))
      await client.close()
      return server.received
    }
    #expect(
      received.map(\.path) == ["/test/3/device/\(Self.token)", "/live/3/device/\(Self.token)"])
    #expect(APNsHosts().production == "https://api.push.apple.com")
    #expect(APNsHosts().development == "https://api.sandbox.push.apple.com")
  }

  @Test func `an invalid APNs signing key is reported`() {
    let pem = FakeAPNs.key.pemRepresentation
    #expect(throws: APNsKeyFailure.self) {
      try APNsKey(pem: "no key", keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID)
    }
    for id in ["", "SHORT", "KEY123456é", "KEY 123456"] {
      #expect(throws: APNsKeyFailure.self) {
        try APNsKey(pem: pem, keyID: id, teamID: FakeAPNs.teamID)
      }
      #expect(throws: APNsKeyFailure.self) {
        try APNsKey(pem: pem, keyID: FakeAPNs.keyID, teamID: id)
      }
    }
  }
}
