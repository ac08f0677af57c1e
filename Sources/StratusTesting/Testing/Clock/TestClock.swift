public import Foundation
import StratusTransport
import Synchronization

/// A clock that a test advances.
///
/// The devices of a ``TestServer`` and the dates of records use this clock. An app can also wait on
/// this clock, because it is a `Clock` like `ContinuousClock`.
///
/// ```swift
/// await server.clock.advance(by: .seconds(60))
/// ```
///
/// NB: a short wait of the framework itself moves the clock at once. A test that awaits a call with
/// retries therefore does not have to advance the clock from another task. See ``jumpMax``.
public final class TestClock: Clock {
  /// An instant on this clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public var offset: Duration

    /// Creates the instant at which this duration has passed since the clock was created.
    public init(offset: Duration) { self.offset = offset }

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the duration from this instant to another instant.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Duration
    let isWatch: Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var offset = Duration.zero
    var jumpMax: Duration
    var lastID = 0
    /// The sleepers, in the order of their deadlines.
    var sleepers: [Sleeper] = []
    /// The IDs of sleepers whose task was cancelled before the sleep began.
    var cancelled: Set<Int> = []
    var movesCount = 0
  }

  private let start: Date
  private let state: Mutex<State>

  /// Creates a clock that does not move until a test moves it.
  ///
  /// - Parameters:
  ///   - date: the initial date. The default is the beginning of 2026 in UTC.
  ///   - jumpMax: see ``jumpMax``.
  public init(
    at date: Date = Date(timeIntervalSince1970: 1_767_225_600), jumpMax: Duration = .seconds(5)
  ) {
    start = date
    state = Mutex(State(jumpMax: jumpMax))
  }

  /// The longest wait of the framework that moves the clock at once. A longer wait lasts until the
  /// test advances the clock. The default is 5 s. With zero, the test controls every wait.
  public var jumpMax: Duration {
    get { state.withLock(\.jumpMax) }
    set { state.withLock { $0.jumpMax = newValue } }
  }

  /// The clock's current date.
  public var date: Date { start.addingTimeInterval(now.offset.seconds) }

  /// The clock's present time.
  public var now: Instant { Instant(offset: state.withLock(\.offset)) }

  /// The smallest step of the clock.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until a test has advanced the clock to the deadline. Returns at once if the deadline has
  /// passed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleep(until: deadline, isWatch: false)
  }

  private func sleep(until deadline: Instant, isWatch: Bool) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enlist(
          Sleeper(
            id: id, deadline: deadline.offset, isWatch: isWatch, continuation: continuation))
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Advances the clock, and resumes the sleepers whose deadlines pass, in the order of the
  /// deadlines.
  ///
  /// - Parameter duration: a negative duration has no effect.
  public func advance(by duration: Duration) async {
    let target = now.offset + duration
    await Self.letOthersRun()
    while let deadline = state.withLock({ $0.sleepers.first?.deadline }), deadline <= target {
      move(to: deadline)
      await Self.letOthersRun()
    }
    move(to: target)
    await Self.letOthersRun()
  }

  /// The earliest deadline of a sleeper, not counting time-outs. It is nil if there is no sleeper.
  public var nextDeadline: Instant? {
    deadline { !$0.isWatch }
  }

  /// The number of sleepers on this clock, not counting time-outs.
  public var sleepersCount: Int { state.withLock { $0.sleepers.count { !$0.isWatch } } }

  /// The earliest deadline of the time-outs that only guard other work (see `Timing/watch`).
  var nextWatch: Instant? { deadline(\.isWatch) }

  /// The number of running time-outs of the framework. A test waits until a time-out is running
  /// before it moves the clock.
  package var watchersCount: Int { state.withLock { $0.sleepers.count { $0.isWatch } } }

  private func deadline(_ isMeant: (Sleeper) -> Bool) -> Instant? {
    state.withLock { $0.sleepers.first(where: isMeant).map { Instant(offset: $0.deadline) } }
  }

  /// Yields several times, so that resumed tasks can run.
  static func letOthersRun() async { for _ in 0..<20 { await Task.yield() } }

  // The following members are for the framework.

  /// A counter that increases whenever the clock moves.
  var movesCount: Int { state.withLock(\.movesCount) }

  var timing: Timing {
    Timing(
      now: { self.now.offset.seconds }, sleep: { try await self.pause(.seconds($0)) },
      watch: { seconds in
        try await self.sleep(until: self.now.advanced(by: .seconds(seconds)), isWatch: true)
      },
      chance: { 0 })
  }

  /// Waits in the same way as the framework: a short wait moves the clock at once.
  func pause(_ duration: Duration) async throws {
    try Task.checkCancellation()
    let deadline = state.withLock { state -> Duration? in
      let deadline = state.offset + duration
      return duration <= state.jumpMax ? deadline : nil
    }
    if let deadline { return move(to: deadline) }
    try await sleep(until: now.advanced(by: duration))
  }

  /// Moves the clock forward to an offset, and resumes the sleepers whose deadlines have passed.
  func move(to offset: Duration) {
    let woken = state.withLock { state in
      if offset > state.offset {
        state.offset = offset
        state.movesCount += 1
      }
      let woken = state.sleepers.prefix { $0.deadline <= state.offset }
      state.sleepers.removeFirst(woken.count)
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  private enum Enlistment { case waits, isOver, isCancelled }

  private func enlist(_ sleeper: Sleeper) {
    let enlistment = state.withLock { state -> Enlistment in
      if state.cancelled.remove(sleeper.id) != nil { return .isCancelled }
      if sleeper.deadline <= state.offset { return .isOver }
      let index = state.sleepers.firstIndex { $0.deadline > sleeper.deadline }
      state.sleepers.insert(sleeper, at: index ?? state.sleepers.endIndex)
      return .waits
    }
    switch enlistment {
    case .waits: break
    case .isOver: sleeper.continuation.resume()
    case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
    }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
