import StratusTransport
import StratusWire
import Synchronization

/// Distributes the notifications of one container's stream to all listeners.
///
/// The stream is open while there is a listener. A listener has processed a notification when it
/// asks for the next notification. A notification stays in the log until every listener has
/// processed it. A listener that is too far behind skips notifications, and these count as
/// processed by the listener. When all listeners have processed a notification, the hub
/// acknowledges it to the server. A crash before that does not lose the notification. A new
/// listener starts at the beginning of the log. Notifications that were not processed when the last
/// listener left are fetched again for the next listener. The first call of that listener also
/// acknowledges the last notification that the previous listener took.
final class NotificationHub: NotificationFeed {
  private struct State {
    /// The notifications that at least one listener has not processed. The first one has the
    /// sequence number `firstSequence`.
    var log: [NumberedNotification] = []
    var firstSequence = 0
    /// For each listener: the sequence number of the next notification that it takes.
    var positions: [Int: Int] = [:]
    /// The listeners that are still processing the notification that they took last.
    var handling: Set<Int> = []
    /// For each listener: its waiting calls. There are several calls if several tasks share the
    /// listener.
    var waiting: [Int: [CheckedContinuation<Void, Never>]] = [:]
    /// The reader of the stream while it is suspended because the log is full; otherwise nil.
    var held: CheckedContinuation<Void, Never>?
    /// The number, in the server's queue, of the last notification that no listener needs any more.
    /// The next stream begins after this number.
    var acknowledged: Int64?
    /// The number, in the server's queue, of the notification that the last listener took before it
    /// left. That listener never asked for the next notification.
    var left: Int64?
    var pump: Task<Void, Never>?
    /// Counts streams, so that notifications from an old stream are not delivered to listeners of a
    /// new stream.
    var generation = 0
    /// The value of ``Connection/generation`` when the stream was opened. The generation changes
    /// with the account.
    var accountGeneration = 0
    var nextListener = 0

    var endSequence: Int { firstSequence + log.count }
  }

  /// The maximum number of notifications that wait for a listener. While the log contains this many
  /// notifications that no listener has taken, the stream is not read. If a listener is more than
  /// this many notifications behind the fastest listener, it skips the oldest ones. Choice: a slow
  /// listener thereby does not delay the others. The loss is safe because a notification only
  /// signals that there are changes to fetch.
  static let untakenMax = 1_000

  private let stream: NotificationStream
  private let identify: @Sendable () -> Void
  private let state = Mutex(State())
  private let openingListeners = Mutex<(last: Int, all: [Int: AsyncStream<Void>.Continuation])>(
    (0, [:]))

  /// - Parameter identify: gives this device a lasting name. It is called before the stream is
  ///   opened.
  init(stream: NotificationStream, identify: @escaping @Sendable () -> Void) {
    self.stream = stream
    self.identify = identify
  }

  func notifications() -> AsyncStream<NotificationPayload> {
    let listener = Listener(hub: self)
    return AsyncStream(unfolding: { await listener.next() }, onCancel: { listener.leaveAsking() })
  }

  func openings() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = openingListeners.withLock { listeners in
      listeners.last += 1
      listeners.all[listeners.last] = continuation
      return listeners.last
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.openingListeners.withLock { $0.all.removeValue(forKey: listener) }
    }
    return stream
  }

  private func opened() {
    let listeners = openingListeners.withLock { listeners in
      listeners.all.sorted { $0.key < $1.key }.map(\.value)
    }
    for listener in listeners { listener.yield() }
  }

  /// Discards the previous account's notifications. If a user is signed in and there are listeners,
  /// starts a stream for the new account.
  func accountHasChanged() {
    let change = state.withLock { state in
      let change = Change(
        waiters: [state.held].compactMap { $0 }, pump: state.pump)
      state.held = nil
      state.firstSequence = state.endSequence
      state.log = []
      for listener in state.positions.keys { state.positions[listener] = state.firstSequence }
      state.handling = []
      state.acknowledged = nil
      state.left = nil
      state.pump = nil
      // NB: the increment is needed even if no user is signed in now, because the old stream may
      // still deliver notifications.
      state.generation += 1
      if !state.positions.isEmpty { open(&state) }
      return change
    }
    apply(change)
  }

  /// The number of listeners.
  var listenerCount: Int { state.withLock { $0.positions.count } }

  // Called by listeners.

  fileprivate func join() -> Int {
    let (listener, change) = state.withLock { state in
      var change = Change()
      if let left = state.left {
        // NB: the last notification of the previous listener is acknowledged now. Otherwise an app
        // whose listeners each take only one notification would get the same notification each
        // time.
        change.through = left
        change.accountGeneration = state.accountGeneration
        state.acknowledged = left
        state.left = nil
      }
      let listener = state.nextListener
      state.nextListener += 1
      state.positions[listener] = state.firstSequence
      if state.pump == nil { open(&state) }
      return (listener, change)
    }
    apply(change)
    return listener
  }

  private func open(_ state: inout State) {
    // NB: the generation is read before the stream starts, so that it is not newer than the
    // stream's account.
    state.accountGeneration = stream.generation
    guard stream.hasUser else { return }
    state.generation += 1
    let (generation, last) = (state.generation, state.acknowledged)
    state.pump = Task { [self] in
      identify()
      await stream.run(after: last, opened: { self.opened() }) {
        await self.arrived($0, generation)
      }
    }
  }

  fileprivate func leave(_ listener: Int) {
    let change = state.withLock { state in
      let position = state.positions.removeValue(forKey: listener)
      if let position, state.handling.remove(listener) != nil, state.positions.isEmpty {
        state.left = state.log[position - 1 - state.firstSequence].number
      }
      let waiters = state.waiting.removeValue(forKey: listener)
      var change = state.positions.isEmpty ? close(&state) : settle(&state)
      change.waiters += waiters ?? []
      return change
    }
    apply(change)
  }

  /// Called when the listener asks for the next notification. The listener has then processed the
  /// notification that it took before.
  fileprivate func ask(_ listener: Int) {
    let change = state.withLock { state in
      state.handling.remove(listener) == nil ? Change() : settle(&state)
    }
    apply(change)
  }

  fileprivate enum Turn { case taken(NotificationPayload), nothing, left }

  fileprivate func take(_ listener: Int) -> Turn {
    let (turn, change) = state.withLock { state -> (Turn, Change) in
      guard let position = state.positions[listener] else { return (.left, Change()) }
      let index = position - state.firstSequence
      guard index < state.log.count else { return (.nothing, Change()) }
      let payload = state.log[index].payload
      state.positions[listener] = position + 1
      state.handling.insert(listener)
      return (.taken(payload), settle(&state))
    }
    apply(change)
    return turn
  }

  /// Waits until there may be a notification to take, or until the listener has left.
  fileprivate func news(for listener: Int) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        guard state.positions[listener] == state.endSequence else { return true }
        state.waiting[listener, default: []].append(continuation)
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  // Called by the stream.

  private func arrived(_ notification: NumberedNotification, _ generation: Int) async {
    let waiters = state.withLock { state in
      guard state.generation == generation, !state.positions.isEmpty else {
        return [CheckedContinuation<Void, Never>]()
      }
      state.log.append(notification)
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap { $0 }
    }
    for waiter in waiters { waiter.resume() }
    await room(generation)
  }

  /// Waits until the log has space for another notification.
  private func room(_ generation: Int) async {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard state.generation == generation, Self.isFull(state) else { return true }
        state.held = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  private static func isFull(_ state: State) -> Bool {
    guard let fastest = state.positions.values.max() else { return false }
    return state.endSequence - fastest >= untakenMax
  }

  /// The actions to perform after the lock is released.
  private struct Change {
    var waiters: [CheckedContinuation<Void, Never>] = []
    var through: Int64?
    /// The generation of the account that received the notifications.
    var accountGeneration: Int?
    var pump: Task<Void, Never>?
  }

  /// Closes the stream after the last listener has left.
  private func close(_ state: inout State) -> Change {
    defer {
      state.log = []
      state.held = nil
      state.pump = nil
    }
    return Change(waiters: [state.held].compactMap { $0 }, pump: state.pump)
  }

  /// Skips notifications for the listeners that are too far behind. Removes the notifications that
  /// all listeners have processed.
  private func settle(_ state: inout State) -> Change {
    var change = Change()
    let fastest = state.positions.values.max() ?? state.firstSequence
    let oldest = fastest - Self.untakenMax
    for (listener, position) in state.positions where position < oldest {
      state.positions[listener] = oldest
      state.handling.remove(listener)
    }
    let handling = state.handling
    let done = state.positions.map { handling.contains($0) ? $1 - 1 : $1 }.min()
    let count = (done ?? state.firstSequence) - state.firstSequence
    if count > 0 {
      change.through = state.log[count - 1].number
      change.accountGeneration = state.accountGeneration
      state.acknowledged = change.through
      state.log.removeFirst(count)
      state.firstSequence += count
    }
    if let held = state.held, !Self.isFull(state) {
      change.waiters.append(held)
      state.held = nil
    }
    return change
  }

  private func apply(_ change: Change) {
    for waiter in change.waiters { waiter.resume() }
    if let through = change.through {
      stream.acknowledge(through: through, in: change.accountGeneration)
    }
    change.pump?.cancel()
  }
}

/// A listener, from its first call of ``next()`` until it is cancelled or released.
private final class Listener: Sendable {
  private enum Membership { case new, joined(Int), left }

  private struct State {
    var membership = Membership.new
    /// The number of calls of ``next()`` that have not returned. It exceeds one if several tasks
    /// share a sequence.
    var callsCount = 0
  }

  private let hub: NotificationHub
  private let state = Mutex(State())

  init(hub: NotificationHub) { self.hub = hub }

  deinit { leave() }

  func next() async -> NotificationPayload? {
    guard let id = join() else { return nil }
    defer { state.withLock { $0.callsCount -= 1 } }
    hub.ask(id)
    while true {
      if Task.isCancelled { leave() }
      switch hub.take(id) {
      case .taken(let payload): return payload
      case .left: return nil
      case .nothing:
        await withTaskCancellationHandler {
          await hub.news(for: id)
        } onCancel: {
          leave()
        }
      }
    }
  }

  /// Registers the listener if this is its first call, and counts the call. Returns the listener's
  /// ID, or nil if the listener has left.
  private func join() -> Int? {
    state.withLock { state in
      let id: Int
      switch state.membership {
      case .joined(let known): id = known
      case .left: return nil
      case .new:
        id = hub.join()
        state.membership = .joined(id)
      }
      state.callsCount += 1
      return id
    }
  }

  /// Leaves because a task that iterates over the sequence was cancelled.
  ///
  /// NB: if the cancellation arrives while no call of ``next()`` runs, the listener has processed
  /// the notification that it took last. If the cancellation arrives during a call, the taken
  /// notification may not have reached the task.
  func leaveAsking() {
    let id: Int? = state.withLock { state in
      if case .joined(let id) = state.membership, state.callsCount == 0 { return id }
      return nil
    }
    if let id { hub.ask(id) }
    leave()
  }

  func leave() {
    let id: Int? = state.withLock { state in
      defer { state.membership = .left }
      if case .joined(let id) = state.membership { return id }
      return nil
    }
    if let id { hub.leave(id) }
  }
}
