import StratusTesting
import StratusTransport

/// Runs all tasks of the process on one thread, one job at a time, in an order that the seed
/// determines. Its virtual clock advances to the next timer when no job is ready.
///
/// NB: `@unchecked` is safe, because only the main thread uses the loop. ``Hooks`` ends the program
/// if another thread does.
final class Loop: @unchecked Sendable {
  /// The only loop of the process, because the concurrency runtime has only one hook for jobs.
  static let shared = Loop()

  private enum Ready {
    case job(UnownedJob)
    case action(() -> Void)
  }

  private var ready: [Ready] = []
  private var timers = TimerHeap()
  private var schedule = SeededChance(seed: 0)
  /// The number of virtual seconds since the simulation began.
  private(set) var now = 0.0
  /// The number of jobs, actions and timers that have run.
  private(set) var steps = 0
  /// A checksum of the choices and times of the run. Two equal runs have the same checksum.
  private(set) var digest: UInt64 = 0

  /// The virtual clock as a ``Timing``, which the client's code uses as its clock.
  var timing: Timing {
    Timing(
      now: { self.now }, sleep: { try await self.sleep($0) },
      watch: { try await self.sleep($0) },
      chance: { Double.random(in: 0..<1, using: &self.schedule) })
  }

  /// Resets the loop, and discards the jobs of an earlier simulation.
  func begin(seed: UInt64) {
    ready.removeAll(keepingCapacity: true)
    timers = TimerHeap()
    schedule = SeededChance(seed: seed)
    now = 0
    steps = 0
    digest = 0
  }

  /// Adds a job of the runtime to the jobs that are ready.
  func take(_ job: UnownedJob) { ready.append(.job(job)) }

  /// Runs the loop until `isDone` is true, until no job and no timer is left, or until the number
  /// of steps since ``begin(seed:)`` has reached `stepsMax`.
  ///
  /// - Returns: nil if `isDone` has ended the loop. Otherwise, the reason why the loop has ended.
  func run(stepsMax: Int, until isDone: () -> Bool) -> String? {
    while !isDone() {
      if steps >= stepsMax { return "the run did not end within \(steps) steps, at \(now) s" }
      steps += 1
      if ready.isEmpty {
        guard let timer = timers.next() else { return "no job and no timer is left, at \(now) s" }
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

  /// Runs an action at the current time, in an order that the seed determines.
  func soon(_ action: @escaping () -> Void) { ready.append(.action(action)) }

  /// Runs an action after a number of seconds.
  func after(_ seconds: Double, _ action: @escaping () -> Void) {
    timers.insert(at: now + max(0, seconds), action)
  }

  /// Lets other jobs run, and continues at the same virtual time, in an order that the seed
  /// determines.
  func pause() async {
    await withUnsafeContinuation { continuation in
      ready.append(.action { continuation.resume() })
    }
  }

  /// Waits for a number of seconds.
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

/// A task that waits for the clock or for its own cancellation, whichever comes first.
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
