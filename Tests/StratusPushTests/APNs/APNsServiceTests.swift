import Crypto
import Foundation
import StratusAccounts
import StratusDomain
import StratusPush
import StratusTransport
import StratusWire
import Testing

@testable import StratusServer
@testable import StratusTesting

/// From a change to Apple's service, by the parts of a server that runs.
@Suite(.timeLimit(.minutes(2))) struct `APNs service` {
  private static let zone = ZoneID(zoneName: "Z")
  private static let address = StoreAddress(
    container: "iCloud.org.example.App", environment: .development)

  /// A way to the server, for one device of the developer's.
  private static func device(_ name: String, of server: TestServer) -> Connection {
    Connection(
      to: Connection.Address(
        url: "http://stratus.test", container: address.container,
        environment: address.environment, deviceID: name),
      apiToken: server.developer.apiToken, webAuthToken: server.developer.webAuthToken,
      exchange: server.exchange,
      timing: Timing(now: { 0 }, sleep: { _ in }, chance: { 0 }))
  }

  /// What the server is started with, where the fake plays Apple.
  private static func access(to fake: FakeAPNs) throws -> APNsAccess {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-apns-\(UUID().uuidString).p8")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(FakeAPNs.key.pemRepresentation.utf8).write(to: file)
    var access = try APNsAccess(
      keyFile: file, keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID, topic: "org.example.app")
    access.hosts = APNsHosts(production: fake.url, development: fake.url)
    access.trustedCertificatePEM = fake.certificate.pem
    return access
  }

  private static func send<E: Endpoint>(
    _ endpoint: E.Type, _ json: String, by device: Connection
  ) async throws where E.Request: JSONReadable {
    _ = try await device.send(
      endpoint, try E.Request(jsonBytes: Array(json.utf8)), to: .private, isIdempotent: true)
  }

  /// A user with a phone that Apple's service reaches, who watches the private database.
  private static func prepare(_ server: TestServer) async throws -> Connection {
    let (phone, writer) = (device("phone", of: server), device("writer", of: server))
    let token = String(repeating: "0f", count: 32)
    _ = try await phone.send(
      RegisterToken.self,
      RegisterToken.Request(apnsEnvironment: .development, apnsToken: token), to: .private,
      isIdempotent: true)
    try await send(
      ModifyZones.self,
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#,
      by: writer)
    try await send(
      ModifySubscriptions.self,
      #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"S","#
        + #""subscriptionType":"database","notificationInfo":{"alertBody":"new"}}}]}"#,
      by: writer)
    return writer
  }

  private static func save(_ name: String, by writer: Connection) async throws {
    try await send(
      ModifyRecords.self,
      #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceReplace","record":{"#
        + #""recordName":"\#(name)","recordType":"Note","fields":{}}}]}"#,
      by: writer)
  }

  @Test func `sends what a change has queued without looking for it`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await FakeAPNs.running(react: { _, _ in
      arrival.yield()
      return .answer(200)
    }) { fake in
      let server = try await TestServer()
      let parts = server.core.composition
      let writer = try await Self.prepare(server)
      try await Self.save("one", by: writer)
      try await parts.matchChanges()
      let logger = CapturedLog().logger
      var apns = parts.apnsService(try Self.access(to: fake), live: Live(), logger: logger)
      // Longer than the test: it looks once, when it begins.
      apns.pause = .seconds(86_400)
      let sweep = parts.changeSweep(logger: logger)
      try await withThrowingTaskGroup(of: Void.self) { [apns] group in
        group.addTask { try await apns.run() }
        var arrived = arrivals.makeAsyncIterator()
        _ = await arrived.next()
        group.addTask { try await sweep.run() }
        try await Self.save("two", by: writer)
        _ = await arrived.next()
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(fake.received.count == 2)
      await server.stop()
    }
  }
}
