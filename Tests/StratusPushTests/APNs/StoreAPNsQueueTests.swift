import Foundation
import StratusDomain
import StratusPush
import StratusSQLite
import StratusWire
import Testing

/// Delivery from a store to Apple's service.
@Suite struct `APNs queue of a store` {
  private static let user = "_0123456789abcdef0123456789abcdef"
  private static let address = StoreAddress(
    container: "iCloud.org.example", environment: .development)

  private func withStore(_ body: (any Store) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: url) }
    let stores = SQLiteStores(folder: try DataFolder(url), makeEpoch: { 7 })
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(try await stores.store(at: Self.address)))
    } catch {
      result = .failure(error)
    }
    await stores.close()
    try result.get()
  }

  private func register(_ deviceID: String, _ channel: DeviceChannel, in store: any Store)
    async throws
  {
    let device = StoredDevice(
      user: Self.user, deviceID: deviceID, channel: channel, acknowledged: 0, seen: 1_000)
    try await store.write { store throws(ServerError) in try store.register(device) }
  }

  private func enqueue(_ ids: [String], from origin: String? = nil, in store: any Store)
    async throws
  {
    let notifications = ids.map { id in
      NewNotification(
        user: Self.user,
        payload: NotificationPayload(
          containerIdentifier: "c", notificationID: id, userRecordName: Self.user,
          event: .database(subscriptionID: "S", .private)),
        shouldBadge: true, originDeviceID: origin, createdAt: StillClock.start)
    }
    try await store.write { store throws(ServerError) in try store.enqueue(notifications) }
  }

  private func device(_ deviceID: String, in store: any Store) async throws -> StoredDevice? {
    try await store.read { store throws(ServerError) in
      try store.device(id: deviceID, of: Self.user)
    }
  }

  @Test
  func `the APNs queue contains only notifications for devices with an APNs token`() async throws {
    try await withStore { store in
      try await register("phone", .apns(token: "aa", .production), in: store)
      try await register("terminal", .stream, in: store)
      try await register("browser", .courier(token: "bb"), in: store)
      let queue = StoreAPNsQueue(store, now: { 0 })
      #expect(try await queue.devicesWithNews(after: 0, limit: 10).devices.isEmpty)
      try await enqueue(["N1", "N2"], in: store)
      let news = try await queue.devicesWithNews(after: 0, limit: 10)
      #expect(news.devices.map(\.deviceID) == ["phone"])
      #expect(!news.hasMore)
      #expect(try await queue.devicesWithNews(after: news.through, limit: 10).devices.isEmpty)
      #expect(try await queue.waiting(for: "terminal", of: Self.user, limit: 10) == nil)
      let waiting = try #require(try await queue.waiting(for: "phone", of: Self.user, limit: 10))
      #expect(waiting.notifications.map(\.notificationID) == ["N1", "N2"])
      #expect(!waiting.hasMore)
      let first = try #require(try await queue.waiting(for: "phone", of: Self.user, limit: 1))
      #expect(first.notifications.map(\.notificationID) == ["N1"])
      #expect(first.hasMore)
    }
  }

  @Test
  func `the acknowledgements of devices and the times of their last use are stored`() async throws {
    try await withStore { store in
      try await register("phone", .apns(token: "aa", .production), in: store)
      try await enqueue(["N1", "N2"], in: store)
      let queue = StoreAPNsQueue(store, now: { 100_000_000 })
      let waiting = try #require(try await queue.waiting(for: "phone", of: Self.user, limit: 10))
      try await queue.acknowledge(
        through: waiting.notifications[0].number, by: waiting.device)
      let rest = try #require(try await queue.waiting(for: "phone", of: Self.user, limit: 10))
      #expect(rest.notifications.map(\.notificationID) == ["N2"])
      #expect(rest.device.seen == 100_000_000)
      try await queue.removeToken(of: rest.device)
      #expect(try await queue.waiting(for: "phone", of: Self.user, limit: 10) == nil)
      let left = try #require(try await device("phone", in: store))
      #expect(left.acknowledged == waiting.notifications[0].number)
    }
  }

  @Test
  func `the removal of an old APNs token does not remove the token that replaced it`()
    async throws
  {
    try await withStore { store in
      try await register("phone", .apns(token: "aa", .production), in: store)
      let queue = StoreAPNsQueue(store, now: { 0 })
      let before = try #require(try await device("phone", in: store))
      try await register("phone", .apns(token: "bb", .production), in: store)
      try await queue.removeToken(of: before)
      #expect(
        try await device("phone", in: store)?.channel == .apns(token: "bb", .production))
    }
  }

  @Test func `a queued notification reaches Apple's service, and an unknown token is removed`()
    async throws
  {
    try await withStore { store in
      try await register("phone", .apns(token: "aa", .production), in: store)
      try await register("lost", .apns(token: "bb", .development), in: store)
      try await register("writer", .apns(token: "cc", .production), in: store)
      // Both notifications belong to one request that changes two records.
      try await enqueue(["N1", "N1"], from: "writer", in: store)
      let received = try await FakeAPNs.running(react: { received, _ in
        received.path.hasSuffix("bb") ? .answer(410, reason: "Unregistered") : .answer(200)
      }) { server in
        let client = try APNsClient(
          key: try FakeAPNs.senderKey(), topic: "org.example.app",
          hosts: APNsHosts(production: server.url, development: server.url),
          trustedCertificatePEM: server.certificate.pem, now: { StillClock.start })
        let channel = APNsChannel(
          sender: client,
          settings: APNsChannel.Settings(
            now: { StillClock.start }, chance: { 0 }, report: { _ in }),
          queues: { [Self.address: StoreAPNsQueue(store, now: { StillClock.start })] })
        while await channel.turn() {}
        await client.close()
        return server.received
      }
      let toPhone = received.filter { $0.path == "/3/device/aa" }
      let payloads = try toPhone.map { try NotificationPayload(jsonBytes: $0.body) }
      #expect(payloads.map(\.notificationID) == ["N1", "N1"])
      #expect(Set(toPhone.map { $0.headers["apns-id"] }).count == 2)
      #expect(payloads.map(\.presentation.badge) == [1, 2])
      #expect(toPhone.allSatisfy { FakeAPNs.claims(of: $0.token) != nil })
      #expect(toPhone.first?.headers["apns-expiration"] == "1743413400")
      #expect(received.filter { $0.path == "/3/device/bb" }.count == 1)
      #expect(received.count == 3)
      let lost = try #require(try await device("lost", in: store))
      #expect(lost.channel == .stream)
      #expect(lost.acknowledged == 0)
      let newest = try await store.read { store throws(ServerError) in
        try store.latestNotification(of: Self.user)
      }
      #expect(try await device("phone", in: store)?.acknowledged == newest)
      #expect(try await device("writer", in: store)?.acknowledged == newest)
    }
  }
}
