public import Foundation
import StratusTransport
import Synchronization

/// A clock that moves when a test says so.
///
/// A ``TestServer``'s devices and its records' dates go by it, and an app's own waiting can, too:
/// it is a `Clock` like `ContinuousClock`.
///
/// ```swift
/// await server.clock.advance(by: .seconds(60))
/// ```
///
/// NB: the framework's own waits are passed over where they are short: a repeated request makes the
/// clock jump, so that who awaits a call need not advance it from elsewhere; see ``jumpMax``.
public final class TestClock: Clock {
  /// A moment on it.
  public struct Instant: InstantProtocol {
    /// Since the clock was made.
    public var offset: Duration

    public init(offset: Duration) { self.offset = offset }

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
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
    /// In order of their deadlines.
    var sleepers: [Sleeper] = []
    /// Those whose task was cancelled before they slept.
    var cancelled: Set<Int> = []
    var movesCount = 0
  }

  private let start: Date
  private let state: Mutex<State>

  /// - Parameters:
  ///   - date: what it shows at first; by default the beginning of 2026, UTC.
  ///   - jumpMax: see ``jumpMax``.
  public init(
    at date: Date = Date(timeIntervalSince1970: 1_767_225_600), jumpMax: Duration = .seconds(5)
  ) {
    start = date
    state = Mutex(State(jumpMax: jumpMax))
  }

  /// Waits of the framework up to this long make the clock jump at once; longer ones wait until the
  /// test advances it. 5 s by default; with zero, a test decides about every wait.
  public var jumpMax: Duration {
    get { state.withLock(\.jumpMax) }
    set { state.withLock { $0.jumpMax = newValue } }
  }

  /// The date it shows.
  public var date: Date { start.addingTimeInterval(now.offset.seconds) }

  public var now: Instant { Instant(offset: state.withLock(\.offset)) }

  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until a test has advanced the clock so far, at once where it has.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
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

  /// Lets time pass, and everything that waits for a moment in it go on, one after the other.
  ///
  /// - Parameter duration: nothing happens if it is negative.
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

  /// When the first of those who wait goes on; nil: nobody waits.
  public var nextDeadline: Instant? {
    deadline { !$0.isWatch }
  }

  /// How many wait for a moment on it.
  public var sleepersCount: Int { state.withLock { $0.sleepers.count { !$0.isWatch } } }

  /// When the first time-out of the framework is due that most likely never comes.
  var nextWatch: Instant? { deadline(\.isWatch) }

  /// How many of the framework's time-outs are running; a test that moves the clock waits for them.
  package var watchersCount: Int { state.withLock { $0.sleepers.count { $0.isWatch } } }

  private func deadline(_ isMeant: (Sleeper) -> Bool) -> Instant? {
    state.withLock { $0.sleepers.first(where: isMeant).map { Instant(offset: $0.deadline) } }
  }

  /// Gives what was woken some turns.
  static func letOthersRun() async { for _ in 0..<20 { await Task.yield() } }

  // For the framework.

  /// Says whenever time has moved.
  var movesCount: Int { state.withLock(\.movesCount) }

  var timing: Timing {
    Timing(
      now: { self.now.offset.seconds }, sleep: { try await self.pause(.seconds($0)) },
      watch: { seconds in
        try await self.sleep(until: self.now.advanced(by: .seconds(seconds)), isWatch: true)
      },
      chance: { 0 })
  }

  /// Waits as the framework does: a short wait makes the clock jump.
  func pause(_ duration: Duration) async throws {
    try Task.checkCancellation()
    let deadline = state.withLock { state -> Duration? in
      let deadline = state.offset + duration
      return duration <= state.jumpMax ? deadline : nil
    }
    if let deadline { return move(to: deadline) }
    try await sleep(until: now.advanced(by: duration))
  }

  /// Moves on, unless it is there already, and wakes those whose time has come.
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
      let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline }
      state.sleepers.insert(sleeper, at: place ?? state.sleepers.endIndex)
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
      guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.sleepers.remove(at: place)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}

extension Duration {
  /// As a number.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
