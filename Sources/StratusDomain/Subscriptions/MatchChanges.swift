import StratusWire

/// Finds out whom the changes in a store's outbox concern, and queues their notifications, a step a
/// transaction.
public struct MatchChanges: Sendable {
  private let store: any Store
  private let address: StoreAddress
  private let ambient: Ambient

  public init(store: any Store, address: StoreAddress, ambient: Ambient) {
    self.store = store
    self.address = address
    self.ambient = ambient
  }

  /// What a step has come to.
  public enum Progress: Sendable {
    /// The outbox was empty.
    case idle
    /// Changes were matched, and none is known to be left.
    case ended
    case mayHaveMore

    public var mayHaveMore: Bool { self == .mayHaveMore }
  }

  /// How many subscriptions a step looks at.
  public static let stepMax = Limits.matchStepMax

  /// Takes one step: matches the oldest changes, and in one transaction queues what they come to,
  /// removes them from the outbox, and removes the subscriptions that fire once.
  ///
  /// Several may be taken at once; what another was faster to match is left to it.
  ///
  /// - Parameter limit: subscriptions looked at, at most; 1 or more.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Progress {
    let now = ambient.now()
    let found = try await store.read { [address] (store) throws(ServerError) in
      try MatchStep.run(on: store, at: address, limit: limit, now: now)
    }
    guard let found else { return .idle }
    return try await store.write { [address] (store) throws(ServerError) in
      var found = found
      if try found.isOutdated(in: store) {
        // NB: found again in here, rather than tried again: somebody who replaces subscriptions
        // over and over must not keep all others from hearing.
        let again = try MatchStep.run(on: store, at: address, limit: limit, now: now)
        guard let again else { return .idle }
        found = again
      }
      try found.settle(in: store)
      return found.mayHaveMore ? .mayHaveMore : .ended
    }
  }
}

/// What a step of matching has found in one state of the store.
struct MatchStep: Sendable {
  /// A notification, and the subscription it is of.
  struct Match: Sendable {
    let subscription: Int64
    /// Whether the subscription goes with it.
    let isLast: Bool
    let notification: NewNotification

    /// Queues notifications, and removes the subscriptions that go with them.
    static func settle(_ matches: [Match], in store: any StoreWriting) throws(ServerError) {
      var notifications: [NewNotification] = []
      for match in matches {
        // A subscription may have gone since, or with a notification before this one.
        guard try store.hasSubscription(number: match.subscription) else { continue }
        notifications.append(match.notification)
        if match.isLast { try store.removeSubscription(number: match.subscription) }
      }
      if !notifications.isEmpty { try store.enqueue(notifications) }
    }
  }

  /// The first entry it looked at, as it was.
  private let first: OutboxEntry
  /// The number of the last entry it looked at.
  private let last: Int64
  /// The newest subscription there was.
  private let newestSubscription: Int64
  private let matches: [Match]
  /// Entries that are matched whole.
  private let finished: [Int64]
  /// Where the matching of the entry behind those goes on.
  private let stopped: (entry: Int64, place: OutboxPlace)?
  let mayHaveMore: Bool

  /// Entries read at once, most of which concern few.
  private static let entriesMax = 100

  /// - Returns: nil if the outbox is empty.
  static func run(
    on store: any StoreReading, at address: StoreAddress, limit: Int, now: Int64
  ) throws(ServerError) -> MatchStep? {
    let entries = try store.outboxEntries(limit: entriesMax)
    guard let first = entries.first else { return nil }
    var matcher = ChangeMatcher(
      store: store, address: address, schema: try store.schema(), room: limit, now: now)
    var finished: [Int64] = []
    var stopped: (entry: Int64, place: OutboxPlace)?
    for entry in entries {
      if matcher.room <= 0 { break }
      if let place = try matcher.match(entry) {
        stopped = (entry.number, place)
        break
      }
      finished.append(entry.number)
    }
    return MatchStep(
      first: first, last: stopped?.entry ?? finished.last ?? first.number,
      newestSubscription: try store.newestSubscription(), matches: matcher.matches,
      finished: finished, stopped: stopped,
      mayHaveMore: finished.count < entries.count || entries.count == entriesMax)
  }

  /// Whether a subscription was replaced since that may have to hear of these changes: the step
  /// knows the one that is gone, or neither.
  func isOutdated(in store: any StoreReading) throws(ServerError) -> Bool {
    try store.hasReplacement(after: newestSubscription, hearing: last)
  }

  /// Writes it down, unless another step was faster: steps begin at the oldest entry, and each
  /// removes it or moves its place on.
  func settle(in store: any StoreWriting) throws(ServerError) {
    guard try store.outboxEntries(limit: 1).first == first else { return }
    try Match.settle(matches, in: store)
    for entry in finished { try store.removeOutboxEntry(entry) }
    if let stopped { try store.setPlace(stopped.place, of: stopped.entry) }
  }
}
