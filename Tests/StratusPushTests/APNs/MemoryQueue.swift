import StratusDomain
import StratusPush
import StratusWire
import Synchronization

/// Notification queues and devices in memory.
final class MemoryQueue: APNsQueue {
  private struct State {
    var notifications: [(user: String, notification: QueuedNotification)] = []
    var devices: [StoredDevice] = []
    var failures = 0
  }

  private let state = Mutex(State())

  var devices: [StoredDevice] { state.withLock(\.devices) }

  func acknowledged(_ deviceID: String) -> Int64? {
    devices.first { $0.deviceID == deviceID }?.acknowledged
  }

  func register(
    _ deviceID: String, of user: String = "_u", token: String? = nil,
    _ environment: ContainerEnvironment = .production
  ) {
    let device = StoredDevice(
      user: user, deviceID: deviceID,
      channel: .apns(token: token ?? deviceID, environment), acknowledged: 0, seen: 0)
    state.withLock { state in
      state.devices.removeAll { $0.user == user && $0.deviceID == deviceID }
      state.devices.append(device)
    }
  }

  /// Adds notifications. The ID of a notification is its number as text.
  func add(
    _ count: Int = 1, to user: String = "_u", from origin: String? = nil, text: [UInt8]? = nil
  ) {
    state.withLock { state in
      for _ in 0..<count {
        let number = Int64(state.notifications.count + 1)
        let payload = NotificationPayload(
          containerIdentifier: "c", notificationID: "\(number)", userRecordName: user,
          event: .database(subscriptionID: "S", .private))
        state.notifications.append(
          (
            user,
            QueuedNotification(
              number: number, notificationID: "\(number)", originDeviceID: origin,
              coalescingKey: "sub:private:S", createdAt: StillClock.start, isRead: false,
              payloadText: text ?? payload.jsonBytes)
          ))
      }
    }
  }

  /// Makes the next calls of the queue fail.
  func failNext(_ count: Int) { state.withLock { $0.failures = count } }

  private func checked<Value>(
    _ body: (inout State) -> Value
  ) throws(ServerError) -> Value {
    try state.withLock { state throws(ServerError) in
      if state.failures > 0 {
        state.failures -= 1
        throw .fault("the disk has failed")
      }
      return body(&state)
    }
  }

  func devicesWithNews(
    after number: Int64, limit: Int
  ) async throws(ServerError) -> APNsDevicesWithNews {
    try checked { state in
      let news = state.notifications.filter { $0.notification.number > number }.prefix(limit)
      let users = Set(news.map(\.user))
      return APNsDevicesWithNews(
        devices: state.devices.filter { users.contains($0.user) },
        through: news.last?.notification.number ?? number, hasMore: news.count == limit)
    }
  }

  func waiting(
    for deviceID: String, of user: String, limit: Int
  ) async throws(ServerError) -> APNsWaiting? {
    try checked { state in
      let device = state.devices.first { $0.deviceID == deviceID && $0.user == user }
      guard let device, case .apns = device.channel else { return nil }
      let page = state.notifications.filter {
        $0.user == user && $0.notification.number > device.acknowledged
      }.prefix(limit).map(\.notification)
      return APNsWaiting(device: device, notifications: page, hasMore: page.count == limit)
    }
  }

  func acknowledge(
    through number: Int64, by device: StoredDevice
  ) async throws(ServerError) {
    try checked { state in
      for index in state.devices.indices
      where state.devices[index].deviceID == device.deviceID
        && state.devices[index].user == device.user
      {
        state.devices[index].acknowledged = max(state.devices[index].acknowledged, number)
      }
    }
  }

  func removeToken(of device: StoredDevice) async throws(ServerError) {
    try checked { state in
      for index in state.devices.indices
      where state.devices[index].deviceID == device.deviceID
        && state.devices[index].user == device.user
        && state.devices[index].channel == device.channel
      {
        state.devices[index].channel = .stream
      }
    }
  }
}

/// Receives notifications instead of Apple's service.
final class FakeSender: APNsSender {
  private struct State {
    var taken: [String: [String]] = [:]
    var attempts = 0
    var underWay = 0
    var underWayMax = 0
  }

  private let state = Mutex(State())
  private let react: @Sendable (APNsMessage) async -> APNsOutcome

  init(_ react: @escaping @Sendable (APNsMessage) async -> APNsOutcome = { _ in .delivered }) {
    self.react = react
  }

  /// The IDs of the notifications that a device has received, in order.
  func taken(by token: String) -> [String] { state.withLock { $0.taken[token] ?? [] } }

  var attempts: Int { state.withLock(\.attempts) }
  /// The highest number of notifications that were sent at the same time.
  var underWayMax: Int { state.withLock(\.underWayMax) }

  func send(_ message: APNsMessage) async -> APNsOutcome {
    state.withLock { state in
      state.attempts += 1
      state.underWay += 1
      state.underWayMax = max(state.underWayMax, state.underWay)
    }
    await Task.yield()
    let outcome = await react(message)
    state.withLock { state in
      state.underWay -= 1
      if outcome == .delivered {
        state.taken[message.deviceToken, default: []].append(message.payload.notificationID)
      }
    }
    return outcome
  }
}
