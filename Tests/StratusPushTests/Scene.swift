import Foundation
import StratusDomain
import StratusPush
import StratusSQLite
import StratusTesting
import StratusWire
import Synchronization

/// A store and a hub with a clock that the test advances.
struct Scene: Sendable {
  static let address = StoreAddress(
    container: "iCloud.org.example.Notes", environment: .development)

  let stores: FaultyStores
  let hub: Hub
  let clock: Clock
  let errors: Errors

  final class Clock: Sendable {
    private let milliseconds = Mutex<Int64>(1_000_000)
    var now: Int64 { milliseconds.withLock { $0 } }
    func move(bySeconds seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }
  }

  final class Errors: Sendable {
    private let codes = Mutex<[ErrorCode]>([])
    var all: [ErrorCode] { codes.withLock { $0 } }
    func note(_ error: ServerError) { codes.withLock { $0.append(error.code) } }
  }

  init(_ stores: SQLiteStores) {
    let (clock, errors) = (Clock(), Errors())
    self.stores = FaultyStores(stores)
    (self.clock, self.errors) = (clock, errors)
    hub = Hub(
      stores: self.stores, ambient: Ambient(now: { clock.now }, makeUUID: { "A" })
    ) { errors.note($0) }
  }

  /// Adds notifications to the queues, and sends a signal to the hub.
  func enqueue(
    _ ids: [String], for user: String = "_ann", from device: String? = nil
  ) async throws {
    let store = try await stores.store(at: Self.address)
    try await store.write { (body) throws(ServerError) in
      try body.enqueue(ids.map { Self.notification($0, for: user, from: device) })
    }
    await hub.look(at: Self.address)
    await hub.settle()
  }

  /// Adds notifications to the queues. The hub begins to read them and has to wait.
  ///
  /// - Parameter tell: is called whenever a read begins to wait. A read waits until the test
  ///   releases the stores.
  func beginReading(
    _ ids: [String], _ tell: @escaping @Sendable () -> Void
  ) async throws -> Task<Void, Never> {
    let store = try await stores.store(at: Self.address)
    try await store.write { (body) throws(ServerError) in
      try body.enqueue(ids.map { Self.notification($0, for: "_ann", from: nil) })
    }
    await hub.look(at: Self.address)
    stores.hold(tell)
    return Task { await hub.settle() }
  }

  /// Adds a device as a listener. The device receives its queued notifications.
  func join(
    _ deviceID: String = "a", of user: String = "_ann", at position: Int64 = 0,
    on group: RecordingGroup = RecordingGroup(), until deadline: Int64? = nil
  ) async -> NotificationRecorder {
    let recorder = NotificationRecorder(
      group: group,
      device: ListeningDevice(
        store: Self.address, user: user, deviceID: deviceID, position: position))
    hub.join(recorder, as: [recorder.device], until: deadline)
    await hub.settle()
    return recorder
  }

  /// Removes a listener and adds it again at its position. The hub does not deliver anything yet.
  func rejoin(_ recorder: NotificationRecorder) {
    hub.leave(recorder, as: [recorder.device])
    var device = recorder.device
    device.position = recorder.position
    hub.join(recorder, as: [device], until: nil)
  }

  static func notification(
    _ id: String, for user: String, from device: String?
  ) -> NewNotification {
    NewNotification(
      user: user,
      payload: NotificationPayload(
        containerIdentifier: nil, notificationID: id, userRecordName: user,
        event: .database(subscriptionID: "s", .private)),
      originDeviceID: device, createdAt: 1)
  }
}

/// Runs a test with a new store and a hub.
func withScene(_ body: (Scene) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-push-" + UUID().uuidString)
  defer { try? FileManager.default.removeItem(at: url) }
  let stores = SQLiteStores(folder: try DataFolder(url), makeEpoch: { 7 })
  do {
    try await body(Scene(stores))
  } catch {
    await stores.close()
    throw error
  }
  await stores.close()
}

/// Stores whose calls can fail or wait.
final class FaultyStores: StoreCatalog {
  private struct State {
    var asked = 0
    var failures = 0
    /// Called for each caller that has to wait, or nil if no caller has to wait.
    var tell: (@Sendable () -> Void)?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let stores: SQLiteStores
  private let state = Mutex(State())

  init(_ stores: SQLiteStores) { self.stores = stores }

  /// The number of times that a store was requested.
  var asked: Int { state.withLock(\.asked) }

  func failNext(_ count: Int) { state.withLock { $0.failures = count } }

  /// Makes all later callers wait, and calls `tell` for each of them.
  func hold(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

  /// Releases the first waiting caller or all waiting callers. Later callers do not wait.
  func release(all: Bool = true) {
    let released = state.withLock { state in
      state.tell = nil
      let released = Array(all ? state.waiting[...] : state.waiting.prefix(1))
      state.waiting.removeFirst(released.count)
      return released
    }
    for one in released { one.resume() }
  }

  func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    await withCheckedContinuation { continuation in
      let tell = state.withLock { state in
        state.asked += 1
        if state.tell != nil { state.waiting.append(continuation) }
        return state.tell
      }
      if let tell { tell() } else { continuation.resume() }
    }
    let fails = state.withLock { state in
      defer { state.failures = max(0, state.failures - 1) }
      return state.failures > 0
    }
    if fails { throw ServerError(.tryAgainLater, Reason.storeBusy) }
    return try await stores.store(at: address)
  }
}

/// Delivers to listeners immediately, and counts the deliveries.
final class RecordingGroup: DeliveryGroup {
  private let counts = Mutex<[Int]>([])

  /// For each delivery that contained notifications, the number of its listeners.
  var reached: [Int] { counts.withLock { $0 } }

  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener]) {
    if !delivery.notifications.isEmpty { counts.withLock { $0.append(listeners.count) } }
    for case let recorder as NotificationRecorder in listeners { recorder.hear(delivery) }
  }

  func keepAlive(_ listeners: [any NotificationListener]) {
    for case let recorder as NotificationRecorder in listeners { recorder.note("alive") }
  }

  func release(_ listeners: [any NotificationListener]) {
    for case let recorder as NotificationRecorder in listeners { recorder.note("released") }
  }
}

/// A listener that accepts deliveries only without a gap, like a stream.
final class NotificationRecorder: NotificationListener {
  private struct State {
    var position: Int64
    var heard: [String] = []
    var isDeaf = false
  }

  let group: any DeliveryGroup
  let device: ListeningDevice
  private let state: Mutex<State>

  init(group: RecordingGroup, device: ListeningDevice) {
    self.group = group
    self.device = device
    state = Mutex(State(position: device.position))
  }

  /// The IDs of the received notifications, and texts for other events.
  var heard: [String] { state.withLock(\.heard) }
  var position: Int64 { state.withLock(\.position) }

  func note(_ event: String) { state.withLock { $0.heard.append(event) } }

  func setDeaf(_ isDeaf: Bool) { state.withLock { $0.isDeaf = isDeaf } }

  func hear(_ delivery: NotificationDelivery) {
    state.withLock { state in
      guard !state.isDeaf, delivery.after <= state.position else { return }
      let fresh = delivery.notifications.filter { $0.number > state.position }
      state.heard += fresh.map(\.notificationID)
      state.position = max(state.position, delivery.through)
    }
  }
}
