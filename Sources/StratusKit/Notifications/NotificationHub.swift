import StratusTransport
import StratusWire
import Synchronization

/// A container's notifications, from one stream to everybody who listens.
///
/// The stream is open while there is a listener. What has arrived lies in a log until every
/// listener of that moment is done with it; then it is acknowledged. A listener is done with one
/// when it asks for the next: a crash while it handles one does not lose it. Who comes later begins
/// with what lies in the log; what nobody took before the last listener left is fetched again for
/// the next, who by asking is also done with what that one took last.
final class NotificationHub: NotificationFeed {
  private struct State {
    /// What some listener is not done with. The first has the sequence number `firstSequence`.
    var log: [NumberedNotification] = []
    var firstSequence = 0
    /// By listener: the sequence number it takes next.
    var positions: [Int: Int] = [:]
    /// The listeners that are not done with what they took last.
    var handling: Set<Int> = []
    /// By listener; several where several tasks share one.
    var waiting: [Int: [CheckedContinuation<Void, Never>]] = [:]
    /// Who brings notifications, while the log has room for no more.
    var held: CheckedContinuation<Void, Never>?
    /// The server's number of the last notification that everybody is done with.
    var acknowledged: Int64?
    /// The server's number of what the last listener took before it left, without asking again.
    var left: Int64?
    var pump: Task<Void, Never>?
    /// Counts streams: what an old one still brings is not for the listeners of a new one.
    var generation = 0
    /// Whose stream it is, as the connection counts accounts.
    var accountGeneration = 0
    var nextListener = 0

    var endSequence: Int { firstSequence + log.count }
  }

  /// Notifications that wait for the fastest listener before the stream is not read any further,
  /// and that a slower one may be behind. Choice: one that is further behind misses the oldest, so
  /// that it need not hold up the others; notifications tell that there is something to fetch.
  static let untakenMax = 1_000

  private let stream: NotificationStream
  private let identify: @Sendable () -> Void
  private let state = Mutex(State())
  private let openingListeners = Mutex<(last: Int, all: [Int: AsyncStream<Void>.Continuation])>(
    (0, [:]))

  /// - Parameter identify: called before the stream is opened; names this device to the server.
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

  /// Begins anew with another account's notifications; what is left of the last one's goes.
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
      // NB: also where nobody is signed in now: the old stream may still bring something.
      state.generation += 1
      if !state.positions.isEmpty { open(&state) }
      return change
    }
    carryOut(change)
  }

  /// How many listen.
  var listenerCount: Int { state.withLock { $0.positions.count } }

  // Of listeners.

  fileprivate func join() -> Int {
    let (listener, change) = state.withLock { state in
      var change = Change()
      if let left = state.left {
        // NB: a later listener must not get it again and again: it may be one that takes one only.
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
    carryOut(change)
    return listener
  }

  private func open(_ state: inout State) {
    // NB: read first, so that it is not that of an account that comes after the one that is heard.
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
    carryOut(change)
  }

  /// The listener asks for one more, and is done with what it took last.
  fileprivate func ask(_ listener: Int) {
    let change = state.withLock { state in
      state.handling.remove(listener) == nil ? Change() : settle(&state)
    }
    carryOut(change)
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
    carryOut(change)
    return turn
  }

  /// Waits until there may be something to take, or the listener has left.
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

  // Of the stream.

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

  /// Waits until the log has room.
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

  /// What is left to do once the state may be touched again.
  private struct Change {
    var waiters: [CheckedContinuation<Void, Never>] = []
    var through: Int64?
    /// Of the account that heard.
    var accountGeneration: Int?
    var pump: Task<Void, Never>?
  }

  /// Nobody listens any more.
  private func close(_ state: inout State) -> Change {
    defer {
      state.log = []
      state.held = nil
      state.pump = nil
    }
    return Change(waiters: [state.held].compactMap { $0 }, pump: state.pump)
  }

  /// Lets go of what everybody is done with, and of what is too old for the slowest.
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

  private func carryOut(_ change: Change) {
    for waiter in change.waiters { waiter.resume() }
    if let through = change.through {
      stream.acknowledge(through: through, in: change.accountGeneration)
    }
    change.pump?.cancel()
  }
}

/// One who listens, from the first time it asks until it is cancelled or let go.
private final class Listener: Sendable {
  private enum Membership { case new, joined(Int), left }

  private struct State {
    var membership = Membership.new
    /// Calls of ``next()`` that have not returned: several where several tasks share a sequence.
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

  /// Begins a call.
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

  /// Leaves because a task is cancelled that asks for one more.
  ///
  /// NB: that may be known before ``next()`` is called; then it is done with what it took last. In
  /// the midst of a call what was taken may not have reached it.
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
