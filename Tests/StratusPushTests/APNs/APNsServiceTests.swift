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

/// Delivery of a change to Apple's service through the parts of a running server.
@Suite(.timeLimit(.minutes(15))) struct `APNs service` {
  private static let token = String(repeating: "0f", count: 32)
  private static let otherToken = String(repeating: "1e", count: 32)
  private static let address = StoreAddress(
    container: "iCloud.org.example.App", environment: .development)

  /// A connection to the server for one of the developer's devices.
  private static func device(_ name: String, of server: TestServer) -> Connection {
    Connection(
      to: Connection.Address(
        url: "http://stratus.test", container: address.container,
        environment: address.environment, deviceID: name),
      apiToken: server.developer.apiToken, webAuthToken: server.developer.webAuthToken,
      exchange: server.exchange,
      timing: Timing(now: { 0 }, sleep: { _ in }, chance: { 0 }))
  }

  /// The settings for Apple's service. They contain the address of the fake service.
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

  private static func register(
    _ token: String, of name: String, of server: TestServer
  ) async throws {
    _ = try await device(name, of: server).send(
      RegisterToken.self,
      RegisterToken.Request(apnsEnvironment: .development, apnsToken: token), to: .private,
      isIdempotent: true)
  }

  /// The parts of a server that send notifications of changes to Apple's service.
  private static func services(
    of server: TestServer, _ fake: FakeAPNs
  ) throws -> (apns: APNsService, sweep: StoreSweep) {
    let (parts, logger) = (server.core.composition, CapturedLog().logger)
    var apns = parts.apnsService(try access(to: fake), live: Live(), logger: logger)
    // The pause is longer than the test, so the service checks the stores only at its start.
    apns.pause = .seconds(86_400)
    return (apns, parts.changeSweep(logger: logger))
  }

  /// Creates a phone that Apple's service can reach, and a subscription to the private database.
  private static func prepare(_ server: TestServer) async throws -> Connection {
    let writer = device("writer", of: server)
    try await register(token, of: "phone", of: server)
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

  @Test func `the APNs service sends the notifications of a change without polling`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await FakeAPNs.running(react: { _, _ in
      arrival.yield()
      return .answer(200)
    }) { fake in
      let server = try await TestServer()
      let writer = try await Self.prepare(server)
      try await Self.save("one", by: writer)
      try await server.matchChanges()
      let (apns, sweep) = try Self.services(of: server, fake)
      try await withThrowingTaskGroup(of: Void.self) { group in
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

  @Test
  func `after a restart, the APNs service sends earlier notifications without a signal`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-apns-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await FakeAPNs.running(react: { _, _ in
      arrival.yield()
      return .answer(200)
    }) { fake in
      let earlier = try await TestServer(folder: folder)
      try await Self.save("one", by: try await Self.prepare(earlier))
      await earlier.stop()
      let server = try await TestServer(folder: folder)
      let (apns, sweep) = try Self.services(of: server, fake)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await apns.run() }
        group.addTask { try await sweep.run() }
        for await _ in arrivals { break }
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(fake.received.count == 1)
      await server.stop()
    }
    if !TestEngine.hasFiles { return }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent(Self.address.container).path)
    #expect(!files.contains { $0.hasPrefix("production") }, "a store was created: \(files)")
  }

  @Test
  func `the APNs service sends remaining notifications to a device's new token`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await FakeAPNs.running(react: { received, _ in
      arrival.yield()
      return received.path.hasSuffix(Self.token)
        ? .answer(410, reason: "Unregistered") : .answer(200)
    }) { fake in
      let server = try await TestServer()
      try await Self.save("one", by: try await Self.prepare(server))
      try await server.matchChanges()
      let (apns, _) = try Self.services(of: server, fake)
      let store = try await server.core.composition.store(at: Self.address)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await apns.run() }
        var arrived = arrivals.makeAsyncIterator()
        _ = await arrived.next()
        while try await store.read({ (store) throws(ServerError) in
          try store.device(reachedBy: .apns(token: Self.token, .development)) != nil
        }) { await Task.yield() }
        try await Self.register(Self.otherToken, of: "phone", of: server)
        _ = await arrived.next()
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(
        fake.received.map(\.path) == [Self.token, Self.otherToken].map { "/3/device/\($0)" })
      await server.stop()
    }
  }

  @Test func `a polling device gets its queued notifications after it registers an APNs token`()
    async throws
  {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await FakeAPNs.running(react: { _, _ in
      arrival.yield()
      return .answer(200)
    }) { fake in
      let server = try await TestServer()
      let writer = try await Self.prepare(server)
      let pad = Self.device("pad", of: server)
      try await Self.send(CreateToken.self, #"{"apnsEnvironment":"development"}"#, by: pad)
      try await Self.save("one", by: writer)
      try await server.matchChanges()
      let (apns, _) = try Self.services(of: server, fake)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await apns.run() }
        var arrived = arrivals.makeAsyncIterator()
        _ = await arrived.next()
        try await Self.register(Self.otherToken, of: "pad", of: server)
        _ = await arrived.next()
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(
        fake.received.map(\.path) == [Self.token, Self.otherToken].map { "/3/device/\($0)" })
      await server.stop()
    }
  }

  /// After a signal, the service reads all stores. Each store is polled every second.
  @Test
  func `the APNs service gets a signal from a poll only if the poll found changes`() async throws {
    let server = try await TestServer()
    let writer = try await Self.prepare(server)
    try await server.matchChanges()
    let parts = server.core.composition
    let store = try await parts.store(at: Self.address)
    let sweep = parts.changeSweep(logger: CapturedLog().logger)
    let mark = StoreAddress(container: "iCloud.org.example.Mark", environment: .development)
    var signals = parts.queues.received.makeAsyncIterator()
    func signalsOfALook() async throws -> Int {
      parts.queues.send(StoreSignal(mark))
      while let last = await signals.next(), last.address != mark {}
      _ = try await sweep.step(store, Self.address)
      parts.queues.send(StoreSignal(mark))
      var count = 0
      while let next = await signals.next(), next.address != mark { count += 1 }
      return count
    }
    #expect(try await signalsOfALook() == 0)
    try await Self.save("one", by: writer)
    #expect(try await signalsOfALook() == 1)
    #expect(try await signalsOfALook() == 0)
    await server.stop()
  }
}
