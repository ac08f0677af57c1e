import StratusDomain

/// The listeners of a topic and their positions.
struct TopicState {
  typealias Seats = [ObjectIdentifier: Seat]

  /// Listeners that have received every notification up to ``place``.
  private var current: Seats = [:]
  private var place: Int64 = 0
  /// New listeners.
  private var behind: Seats = [:]
  /// New listeners for whom the queue is being read.
  private var joining: Seats = [:]
  /// Whether the queue has grown since the last read.
  var hasNews = false
  /// Whether the topic waits in the work list.
  var isQueued = false
  /// Whether the queue is being read.
  private(set) var isServed = false

  var isEmpty: Bool { current.isEmpty && behind.isEmpty && joining.isEmpty }
  var needsService: Bool { hasNews || !behind.isEmpty }
  var seats: [Seat] { Array(current.values) + behind.values + joining.values }

  mutating func add(_ seat: Seat) { behind[ObjectIdentifier(seat.listener)] = seat }

  /// - Returns: whether the listener was present.
  mutating func remove(_ listener: any NotificationListener) -> Bool {
    let id = ObjectIdentifier(listener)
    let found = [
      current.removeValue(forKey: id), behind.removeValue(forKey: id),
      joining.removeValue(forKey: id),
    ]
    return found.contains { $0 != nil }
  }

  /// - Returns: the position to read from; nil: no read is needed.
  mutating func beginRound() -> Int64? {
    guard !isServed, needsService, !isEmpty else { return nil }
    isServed = true
    hasNews = false
    joining.merge(behind) { $1 }
    behind.removeAll()
    return start
  }

  /// The lowest position of a listener.
  private var start: Int64 {
    let least = joining.values.map(\.place).min() ?? .max
    return current.isEmpty ? least : min(place, least)
  }

  /// Divides a page among the listeners.
  ///
  /// NB: the last page goes to every new listener, even without a notification for it. The page
  /// sets the listener's position, and the next delivery starts exactly there.
  func parcels(of page: [QueuedNotification], isLast: Bool) -> [Parcel] {
    let origins = Set(page.compactMap { $0.originDeviceID.map(ExactName.init) })
    var parts: [[Int64]: [Seat]] = [:]
    for seat in joining.values { parts[[seat.ownPlace, seat.place], default: []].append(seat) }
    var parcels = parts.values.flatMap { seats -> [Parcel] in
      guard let first = seats.first else { return [] }
      let rest = page.filter { $0.number > first.place }
      if rest.isEmpty, !isLast { return [] }
      return Self.parcels(of: rest, after: first.ownPlace, seats, origins)
    }
    if hasNewsForCurrent(page) {
      let rest = page.filter { $0.number > place }
      parcels += Self.parcels(of: rest, after: place, Array(current.values), origins)
    }
    return parcels
  }

  private func hasNewsForCurrent(_ page: [QueuedNotification]) -> Bool {
    guard !current.isEmpty, let last = page.last else { return false }
    return last.number > place
  }

  /// NB: a device that caused a notification in this page gets a separate delivery without it. The
  /// delivery may be empty, but it still advances the device's position.
  private static func parcels(
    of page: [QueuedNotification], after place: Int64, _ seats: [Seat], _ origins: Set<ExactName>
  ) -> [Parcel] {
    var whole = Parcel(after: place, notifications: page, listeners: [])
    whole.listeners.reserveCapacity(seats.count)
    var parcels: [Parcel] = []
    for seat in seats {
      if origins.isEmpty || !origins.contains(ExactName(seat.deviceID)) {
        whole.listeners.append(seat.listener)
        continue
      }
      let device = ExactName(seat.deviceID)
      let others = page.filter { $0.originDeviceID.map(ExactName.init) != device }
      parcels.append(Parcel(after: place, notifications: others, listeners: [seat.listener]))
    }
    if !whole.listeners.isEmpty { parcels.append(whole) }
    return parcels
  }

  /// Updates the positions after a page was delivered.
  ///
  /// - Returns: whether the round is over.
  mutating func endPage(
    _ page: [QueuedNotification], through number: Int64, isLast: Bool
  ) -> Bool {
    if hasNewsForCurrent(page) { place = number }
    for (id, seat) in joining where seat.place < number {
      joining[id]?.place = number
      // A listener that has received nothing yet continues from its own position.
      if isLast || page.contains(where: { $0.number > seat.place }) {
        joining[id]?.ownPlace = number
      }
    }
    let hasAudience = !current.isEmpty || !joining.isEmpty
    guard isLast || !hasAudience else { return false }
    if current.isEmpty { place = number }
    current.merge(joining) { $1 }
    joining.removeAll()
    isServed = false
    return true
  }

  /// Ends a failed round. The round must be repeated.
  mutating func abandonRound() {
    guard isServed else { return }
    behind.merge(joining) { standing, _ in standing }
    joining.removeAll()
    hasNews = true
    isServed = false
  }
}
