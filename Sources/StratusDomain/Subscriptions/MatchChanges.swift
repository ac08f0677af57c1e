import StratusWire

/// Matches the changes in a store's outbox with subscriptions, and queues their notifications. Each
/// step is one transaction.
public struct MatchChanges: Sendable {
  private let store: any Store
  private let address: StoreAddress
  private let ambient: Ambient

  public init(store: any Store, address: StoreAddress, ambient: Ambient) {
    self.store = store
    self.address = address
    self.ambient = ambient
  }

  /// The result of a step.
  public enum Progress: Sendable {
    /// The outbox was empty.
    case idle
    /// Changes were matched, and no more changes are known to remain.
    case ended
    case mayHaveMore

    public var mayHaveMore: Bool { self == .mayHaveMore }
  }

  /// The maximum number of subscriptions that a step examines.
  public static let stepMax = Limits.matchStepMax

  /// Runs one step: matches the oldest changes. One transaction then queues the notifications,
  /// removes the changes from the outbox, and removes the subscriptions that fire once.
  ///
  /// Several steps may run at once. A step discards its result if another step was faster.
  ///
  /// - Parameter limit: the maximum number of subscriptions to examine, which is at least 1.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Progress {
    let now = ambient.now()
    let found = try await store.read { [address] (store) throws(ServerError) in
      try MatchStep.run(on: store, at: address, limit: limit, now: now)
    }
    guard let found else { return .idle }
    return try await store.write { [address] (store) throws(ServerError) in
      var found = found
      if try found.isOutdated(in: store) {
        // NB: matching is repeated inside the transaction, not in another step. Otherwise, a client
        // that replaces its subscriptions again and again could block the notifications of all
        // others.
        let again = try MatchStep.run(on: store, at: address, limit: limit, now: now)
        guard let again else { return .idle }
        found = again
      }
      try found.settle(in: store)
      return found.mayHaveMore ? .mayHaveMore : .ended
    }
  }
}

/// The result of a matching step on one state of the store.
struct MatchStep: Sendable {
  /// A notification, and the subscription that caused it.
  struct Match: Sendable {
    let subscription: Int64
    /// Whether the subscription is removed with this notification.
    let isLast: Bool
    let notification: NewNotification

    /// Queues notifications, and removes the subscriptions that fire once.
    static func settle(_ matches: [Match], in store: any StoreWriting) throws(ServerError) {
      var notifications: [NewNotification] = []
      for match in matches {
        // The subscription may have been deleted in the meantime, or removed by an earlier
        // notification.
        guard try store.hasSubscription(number: match.subscription) else { continue }
        notifications.append(match.notification)
        if match.isLast { try store.removeSubscription(number: match.subscription) }
      }
      if !notifications.isEmpty { try store.enqueue(notifications) }
    }
  }

  /// The first entry that the step examined, in the state that the step read.
  private let first: OutboxEntry
  /// The number of the last entry that the step examined.
  private let last: Int64
  /// The number of the newest subscription when the step read the store.
  private let newestSubscription: Int64
  private let matches: [Match]
  /// The numbers of the entries that are finished.
  private let finished: [Int64]
  /// The entry in which matching stopped, and the position where it continues, or nil if there is
  /// none.
  private let stopped: (entry: Int64, cursor: OutboxCursor)?
  let mayHaveMore: Bool

  /// The number of entries read at once. Most of them concern few subscriptions.
  private static let entriesMax = 100

  /// - Returns: the result of the step, or nil if the outbox is empty.
  static func run(
    on store: any StoreReading, at address: StoreAddress, limit: Int, now: Int64
  ) throws(ServerError) -> MatchStep? {
    let entries = try store.outboxEntries(limit: entriesMax)
    guard let first = entries.first else { return nil }
    var matcher = ChangeMatcher(
      store: store, address: address, schema: try store.schema(), budget: limit, now: now)
    var finished: [Int64] = []
    var stopped: (entry: Int64, cursor: OutboxCursor)?
    for entry in entries {
      if matcher.budget <= 0 { break }
      if let cursor = try matcher.match(entry) {
        stopped = (entry.number, cursor)
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

  /// Whether a subscription that these changes may concern was replaced after the step had read the
  /// subscriptions. If so, the step has not matched the replacement.
  func isOutdated(in store: any StoreReading) throws(ServerError) -> Bool {
    try store.hasReplacement(after: newestSubscription, concerning: last)
  }

  /// Writes the result, unless another step was faster. Every step begins at the oldest entry, and
  /// removes it or advances its position.
  func settle(in store: any StoreWriting) throws(ServerError) {
    guard try store.outboxEntries(limit: 1).first == first else { return }
    try Match.settle(matches, in: store)
    for entry in finished { try store.removeOutboxEntry(entry) }
    if let stopped { try store.setCursor(stopped.cursor, of: stopped.entry) }
  }
}
