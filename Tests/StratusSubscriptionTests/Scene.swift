import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization
import Testing

/// The server's handlers with a store on disk. Reads the notifications from the queues.
final class Scene: Sendable {
  static let address = StoreAddress(container: "iCloud.org.example", environment: .development)

  let stores: SQLiteStores
  let handlers: [any EndpointHandler]
  let ambient: Ambient
  let changes = LocalSignals()
  private let folder: DataFolder
  private let registry: SQLiteRegistry
  private let url: URL
  private let names: Names
  /// For each user, the number of the last notification that was read from the queue.
  private let read = Mutex<[String: Int64]>([:])

  init(at url: URL? = nil) throws {
    self.url =
      url
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-subscription-" + UUID().uuidString)
    folder = try DataFolder(self.url)
    stores = SQLiteStores(folder: folder, makeEpoch: { 7 })
    registry = try SQLiteRegistry(folder: folder)
    let names = Names()
    self.names = names
    ambient = Ambient(now: { 1_767_225_600_000 }, makeUUID: { names.next("UUID") })
    handlers =
      Service(
        stores: stores, containers: registry,
        assets: FolderAssetStore(data: self.url, now: ambient.now),
        signer: HMACSigner(secret: [UInt8](repeating: 7, count: 32)), ambient: ambient,
        changes: changes
      ).handlers
  }

  /// Closes the files, so that another scene can open them again.
  func close() async {
    await stores.close()
    await registry.close()
    folder.unlock()
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Answers one request with the handler of the endpoint.
  ///
  /// - Throws: ``ServerError``.
  func answer<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, by user: String = "_ann", device: String = "d1",
    scope: DatabaseScope = .private, at address: StoreAddress = address
  ) async throws -> E.Response {
    for handler in handlers {
      guard let handler = handler as? any EndpointHandler<E> else { continue }
      let caller = Caller(
        userRecordName: user, deviceID: device, requestUUID: names.next("request"))
      return try await handler.answer(
        request, to: caller, in: DatabaseAddress(store: address, scope: scope))
    }
    throw ServerError.fault("no handler of \(E.path)")
  }

  func store(at address: StoreAddress = address) async throws -> any Store {
    try await stores.store(at: address)
  }

  /// Matches until the outbox is empty.
  func match(limit: Int = MatchChanges.stepMax, at address: StoreAddress = address) async throws {
    let changes = MatchChanges(
      store: try await store(at: address), address: address, ambient: ambient)
    while try await changes.step(limit: limit).mayHaveMore {}
  }

  /// Matches all changes. Returns the notifications that were queued for a user since the last
  /// call.
  func heard(
    _ user: String = "_ann", matching limit: Int? = MatchChanges.stepMax,
    at address: StoreAddress = address
  ) async throws -> [QueuedNotification] {
    let store = try await store(at: address)
    // The queue of a user without a device keeps only a few notifications.
    try await store.write { (store) throws(ServerError) in
      if try store.device(id: "d0", of: user) != nil { return }
      try store.register(
        StoredDevice(user: user, deviceID: "d0", channel: .stream, acknowledged: 0, seen: 0))
    }
    let changes = MatchChanges(store: store, address: address, ambient: ambient)
    var heard: [QueuedNotification] = []
    // The queue is read after each step, because the length of a queue is limited.
    while true {
      let hasMore =
        if let limit { try await changes.step(limit: limit).mayHaveMore } else { false }
      let last = read.withLock { $0[user] ?? 0 }
      let queued = try await store.read { (store) throws(ServerError) in
        try store.notifications(of: user, after: last, limit: 10_000, sizeBytesMax: .max)
      }
      read.withLock { $0[user] = queued.last?.number ?? last }
      heard += queued
      if !hasMore { return heard }
    }
  }

  /// Like ``heard(_:matching:at:)``, but returns each notification as a text.
  func told(_ user: String = "_ann", matching limit: Int = MatchChanges.stepMax) async throws
    -> [String]
  {
    try await heard(user, matching: limit).map { try $0.payload().event.word }
  }
}

/// Runs a test with a new scene, and removes its files afterwards.
func withScene(_ body: (Scene) async throws -> Void) async throws {
  let scene = try Scene()
  do {
    try await body(scene)
  } catch {
    await scene.close()
    scene.remove()
    throw error
  }
  await scene.close()
  scene.remove()
}

/// Creates unique names. They are the same in each run.
private final class Names: Sendable {
  private let count = Mutex(0)

  func next(_ what: String) -> String {
    count.withLock {
      $0 += 1
      return "\(what)-\($0)"
    }
  }
}

extension NotificationPayload.Event {
  /// The event as text: `sid: created name`, `sid: zone Z` or `sid: database`.
  var word: String {
    switch self {
    case .query(let record):
      let reason = record.reason.map { "\($0)" } ?? "?"
      return "\(record.subscriptionID): \(reason) \(record.recordName ?? "?")"
    case .zone(let id, let zone, _): return "\(id): zone \(zone?.zoneName ?? "?")"
    case .database(let id, _): return "\(id): database"
    case .plain: return "plain"
    }
  }
}

extension SubscriptionItem {
  /// The result as text: `id`, `id deleted` or `id CODE`.
  var word: String {
    switch self {
    case .subscription(let subscription): subscription.id ?? "?"
    case .deleted(let id): "\(id) deleted"
    case .failure(let id, let error): "\(id) \(error.code.rawValue)"
    }
  }

  var reason: String? { if case .failure(_, let error) = self { error.reason } else { nil } }
}
