import StratusTesting
import StratusTransport

/// Runs every task of the process on one thread, one job at a time, in an order the seed decides,
/// on a clock of its own that jumps when nothing is left to do.
///
/// NB: unchecked; it is used by the main thread alone, and says so if it is not (``Hooks``).
final class Loop: @unchecked Sendable {
  /// The concurrency runtime has one place where it hands jobs over, so a process has one loop.
  static let shared = Loop()

  private enum Ready {
    case job(UnownedJob)
    case action(() -> Void)
  }

  private var ready: [Ready] = []
  private var timers = TimerHeap()
  private var schedule = SeededChance(seed: 0)
  /// Seconds since the simulation began.
  private(set) var now = 0.0
  /// Jobs run so far.
  private(set) var steps = 0
  /// Differs between two runs of a seed unless they did the same.
  private(set) var digest: UInt64 = 0

  /// Clock of the client's parts.
  var timing: Timing {
    Timing(
      now: { self.now }, sleep: { try await self.sleep($0) },
      watch: { try await self.sleep($0) },
      chance: { Double.random(in: 0..<1, using: &self.schedule) })
  }

  /// Starts anew; what an earlier simulation left is thrown away.
  func begin(seed: UInt64) {
    ready.removeAll(keepingCapacity: true)
    timers = TimerHeap()
    schedule = SeededChance(seed: seed)
    now = 0
    steps = 0
    digest = 0
  }

  /// Takes a job of the runtime's.
  func take(_ job: UnownedJob) { ready.append(.job(job)) }

  /// Runs until `isDone`, or until there is nothing left that could happen.
  ///
  /// - Returns: why it ended otherwise than by `isDone`; nil: it was done.
  func run(stepsMax: Int, until isDone: () -> Bool) -> String? {
    while !isDone() {
      if steps >= stepsMax { return "no end after \(steps) steps, at \(now) s" }
      steps += 1
      if ready.isEmpty {
        guard let timer = timers.next() else { return "everything waits for ever, at \(now) s" }
        now = max(now, timer.time)
        timer.action()
        continue
      }
      let index = ready.count == 1 ? 0 : Int.random(in: 0..<ready.count, using: &schedule)
      digest = (digest ^ UInt64(index &+ ready.count &* 31)) &* 0x100_0000_01b3
      digest ^= now.bitPattern
      ready.swapAt(index, ready.count - 1)
      switch ready.removeLast() {
      case .job(let job): Hooks.run(job)
      case .action(let action): action()
      }
    }
    return nil
  }

  /// Lets go of what waits for the clock, so that tasks end which were cancelled.
  func drain(stepsMax: Int) {
    var left = stepsMax
    while left > 0, let next = ready.popLast() {
      left -= 1
      switch next {
      case .job(let job): Hooks.run(job)
      case .action(let action): action()
      }
    }
  }

  /// Does something at this instant, in an order the seed decides.
  func soon(_ action: @escaping () -> Void) { ready.append(.action(action)) }

  /// Does something later.
  func after(_ seconds: Double, _ action: @escaping () -> Void) {
    timers.insert(at: now + max(0, seconds), action)
  }

  /// Lets others run; goes on at the same instant, in an order the seed decides.
  func pause() async {
    await withUnsafeContinuation { continuation in
      ready.append(.action { continuation.resume() })
    }
  }

  /// Waits.
  ///
  /// - Throws: `CancellationError`.
  func sleep(_ seconds: Double) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        sleeper.begin(continuation)
        if Task.isCancelled { sleeper.end(with: CancellationError()) }
        after(seconds) { sleeper.end(with: nil) }
      }
    } onCancel: {
      sleeper.end(with: CancellationError())
    }
  }
}

/// Someone who waits for the clock or for being cancelled, whichever comes first.
private final class Sleeper: @unchecked Sendable {
  private var continuation: UnsafeContinuation<Void, any Error>?

  func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
    self.continuation = continuation
  }

  func end(with error: (any Error)?) {
    guard let continuation else { return }
    self.continuation = nil
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}
