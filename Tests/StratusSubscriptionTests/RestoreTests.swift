import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization
import Testing

/// The server's data was restored from a backup or created again. The devices still have
/// notification numbers of the earlier data.
@Suite final class `A restored store` {
  private static let address = Scene.address
  private static let user = "_ann"

  private let stores: MemoryStores

  private final class Time: Sendable {
    let now = Mutex<Int64>(1_767_225_600_000)
    func pass() { now.withLock { $0 += 60_000 } }
  }
  private let time: Time

  init() {
    let time = Time()
    self.time = time
    stores = MemoryStores(makeEpoch: { 7 }, now: { time.now.withLock { $0 } })
  }

  private func service(_ stores: any StoreCatalog) throws -> Service {
    let ambient = Ambient(
      now: { [time] in time.now.withLock { $0 } }, makeUUID: { UUID().uuidString })
    return Service(
      stores: stores, containers: try MemoryRegistry(), assets: MemoryAssetStore(now: ambient.now),
      signer: HMACSigner(secret: [UInt8](repeating: 7, count: 32)), ambient: ambient)
  }

  private func enqueue(_ ids: ClosedRange<Int>, in stores: any StoreCatalog) async throws {
    let store = try await stores.store(at: Self.address)
    try await store.write { (store) throws(ServerError) in
      try store.enqueue(
        ids.map { id in
          NewNotification(
            user: Self.user,
            payload: NotificationPayload(
              containerIdentifier: nil, notificationID: "\(id)", userRecordName: Self.user,
              event: .database(subscriptionID: "s", .private)),
            createdAt: 1)
        })
    }
  }

  /// The notifications that a device receives on a new stream, and the number of the last one.
  private func hear(
    _ deviceID: String, after lastEventID: Int64? = nil, from stores: any StoreCatalog
  ) async throws -> (ids: [Int], last: Int64) {
    let caller = Caller(
      userRecordName: Self.user, deviceID: deviceID, requestUUID: UUID().uuidString)
    let (device, _, _) = try await service(stores).listening.stream(
      for: caller, at: Self.address, lastEventID: lastEventID)
    let store = try await stores.store(at: Self.address)
    let heard = try await store.read { (store) throws(ServerError) in
      try store.notifications(
        of: Self.user, after: device.position, limit: 1_000, sizeBytesMax: .max)
    }
    return (heard.compactMap { Int($0.notificationID) }, heard.last?.number ?? device.position)
  }

  private func acknowledge(_ number: Int64, by deviceID: String) async throws {
    let store = try await stores.store(at: Self.address)
    try await store.write { (store) throws(ServerError) in
      try store.acknowledge(through: number, by: deviceID, of: Self.user)
    }
  }

  @Test(arguments: [1, 2])
  func `after a restore, a device receives every notification that is queued later`(restores: Int)
    async throws
  {
    _ = try await hear("phone", from: stores)
    try await enqueue(1...3, in: stores)
    let first = try await hear("phone", from: stores)
    #expect(first.ids == [1, 2, 3])
    try await acknowledge(first.last, by: "phone")
    let backup = try stores.backup()
    var last = first.last
    for round in 1...restores {
      // The restore loses six notifications. After the restore, the test queues first fewer than
      // six notifications, and in the end more than six.
      let lost = round * 100
      try await enqueue(lost...(lost + 5), in: stores)
      let heard = try await hear("phone", after: last, from: stores)
      #expect(heard.ids == Array(lost...(lost + 5)))
      try await acknowledge(heard.last, by: "phone")
      last = heard.last
      time.pass()
      try stores.restore(backup)
    }
    for id in 1_001...1_012 {
      try await enqueue(id...id, in: stores)
      let heard = try await hear("phone", after: last, from: stores)
      #expect(heard.ids == Array(1_001...id))
    }
    // The acknowledgement of a notification from before the restore arrives late.
    try await acknowledge(last, by: "phone")
    #expect(try await hear("phone", from: stores).ids == Array(1_001...1_012))
  }

  @Test
  func `after a restore, a device that the backup does not contain receives later notifications`()
    async throws
  {
    try await enqueue(1...3, in: stores)
    let backup = try stores.backup()
    _ = try await hear("phone", from: stores)
    try await enqueue(4...9, in: stores)
    let heard = try await hear("phone", from: stores)
    #expect(heard.ids == Array(4...9))
    time.pass()
    try stores.restore(backup)
    try await enqueue(10...20, in: stores)
    #expect(try await hear("phone", after: heard.last, from: stores).ids == Array(10...20))
    #expect(try await hear("phone", from: stores).ids == Array(10...20), "it is known now")
    #expect(try await hear("new", from: stores).ids == [])
  }

  @Test
  func `after a server has lost all its data, a known device still gets new notifications`()
    async throws
  {
    let folders = ["one", "other"].map {
      FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-restore-\($0)-" + UUID().uuidString)
    }
    defer { for folder in folders { try? FileManager.default.removeItem(at: folder) } }
    let catalogs = try folders.map { folder in
      SQLiteStores(
        folder: try DataFolder(folder), makeEpoch: { 7 },
        now: { [time] in time.now.withLock { $0 } })
    }
    _ = try await hear("phone", from: catalogs[0])
    try await enqueue(1...9, in: catalogs[0])
    let heard = try await hear("phone", from: catalogs[0])
    time.pass()
    try await enqueue(10...20, in: catalogs[1])
    #expect(try await hear("phone", after: heard.last, from: catalogs[1]).ids == Array(10...20))
    for catalog in catalogs { await catalog.close() }
  }
}
