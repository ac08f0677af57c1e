import StratusDomain

/// The listeners of a topic and their positions.
struct TopicState {
  typealias Subscribers = [ObjectIdentifier: SubscribedListener]

  /// The listeners that have received every notification up to ``position``.
  private var current: Subscribers = [:]
  private var position: Int64 = 0
  /// The new listeners, which may still lack some notifications.
  private var behind: Subscribers = [:]
  /// The new listeners for which the queue is being read.
  private var joining: Subscribers = [:]
  /// Whether the queue has grown since the last read.
  var hasNews = false
  /// Whether the topic is in the work list.
  var isQueued = false
  /// Whether the queue is being read.
  private(set) var isServed = false

  var isEmpty: Bool { current.isEmpty && behind.isEmpty && joining.isEmpty }
  var needsService: Bool { hasNews || !behind.isEmpty }
  var subscribers: [SubscribedListener] { Array(current.values) + behind.values + joining.values }

  mutating func add(_ subscriber: SubscribedListener) {
    behind[ObjectIdentifier(subscriber.listener)] = subscriber
  }

  /// - Returns: whether the listener was present.
  mutating func remove(_ listener: any NotificationListener) -> Bool {
    let id = ObjectIdentifier(listener)
    let found = [
      current.removeValue(forKey: id), behind.removeValue(forKey: id),
      joining.removeValue(forKey: id),
    ]
    return found.contains { $0 != nil }
  }

  /// Begins to read the queue.
  ///
  /// - Returns: the position from which to read, or nil if no read is needed.
  mutating func beginRound() -> Int64? {
    guard !isServed, needsService, !isEmpty else { return nil }
    isServed = true
    hasNews = false
    joining.merge(behind) { $1 }
    behind.removeAll()
    return start
  }

  /// The lowest position of all listeners.
  private var start: Int64 {
    let least = joining.values.map(\.position).min() ?? .max
    return current.isEmpty ? least : min(position, least)
  }

  /// Divides a page of notifications into deliveries, so that each listener gets the notifications
  /// after its position.
  ///
  /// NB: every new listener gets the last page, even without notifications, because this page sets
  /// the listener's position. The next delivery begins exactly at this position.
  func deliveries(of page: [QueuedNotification], isLast: Bool) -> [PositionedDelivery] {
    let origins = Set(page.compactMap { $0.originDeviceID.map(ExactName.init) })
    var parts: [[Int64]: [SubscribedListener]] = [:]
    for subscriber in joining.values {
      parts[[subscriber.ownPosition, subscriber.position], default: []].append(subscriber)
    }
    var deliveries = parts.values.flatMap { subscribers -> [PositionedDelivery] in
      guard let first = subscribers.first else { return [] }
      let rest = page.filter { $0.number > first.position }
      if rest.isEmpty, !isLast { return [] }
      return Self.deliveries(of: rest, after: first.ownPosition, subscribers, origins)
    }
    if hasNewsForCurrent(page) {
      let rest = page.filter { $0.number > position }
      deliveries += Self.deliveries(of: rest, after: position, Array(current.values), origins)
    }
    return deliveries
  }

  private func hasNewsForCurrent(_ page: [QueuedNotification]) -> Bool {
    guard !current.isEmpty, let last = page.last else { return false }
    return last.number > position
  }

  /// NB: a device that caused a notification of this page gets a separate delivery without that
  /// notification. The delivery may be empty, because it also advances the device's position.
  private static func deliveries(
    of page: [QueuedNotification], after position: Int64, _ subscribers: [SubscribedListener],
    _ origins: Set<ExactName>
  ) -> [PositionedDelivery] {
    var whole = PositionedDelivery(after: position, notifications: page, listeners: [])
    whole.listeners.reserveCapacity(subscribers.count)
    var deliveries: [PositionedDelivery] = []
    for subscriber in subscribers {
      if origins.isEmpty || !origins.contains(ExactName(subscriber.deviceID)) {
        whole.listeners.append(subscriber.listener)
        continue
      }
      let device = ExactName(subscriber.deviceID)
      let others = page.filter { $0.originDeviceID.map(ExactName.init) != device }
      deliveries.append(
        PositionedDelivery(after: position, notifications: others, listeners: [subscriber.listener])
      )
    }
    if !whole.listeners.isEmpty { deliveries.append(whole) }
    return deliveries
  }

  /// Updates the positions after a page was delivered.
  ///
  /// - Returns: whether this read of the queue has ended.
  mutating func endPage(
    _ page: [QueuedNotification], through number: Int64, isLast: Bool
  ) -> Bool {
    if hasNewsForCurrent(page) { position = number }
    for (id, subscriber) in joining where subscriber.position < number {
      joining[id]?.position = number
      // A listener that has not received any notification continues from its own position.
      if isLast || page.contains(where: { $0.number > subscriber.position }) {
        joining[id]?.ownPosition = number
      }
    }
    let hasAudience = !current.isEmpty || !joining.isEmpty
    guard isLast || !hasAudience else { return false }
    if current.isEmpty { position = number }
    current.merge(joining) { $1 }
    joining.removeAll()
    isServed = false
    return true
  }

  /// Ends a read of the queue that failed, so that it is repeated.
  mutating func abandonRound() {
    guard isServed else { return }
    behind.merge(joining) { standing, _ in standing }
    joining.removeAll()
    hasNews = true
    isServed = false
  }
}
