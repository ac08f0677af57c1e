import Foundation
import StratusDomain
import StratusSQL

/// The single writer thread of a file, with its queue.
///
/// The thread takes waiting bodies, runs them in one transaction, and resumes their callers when
/// the transaction is on disk. The flush to disk takes most of the time. All bodies that arrive
/// during a flush share the next flush, except the bodies of expensive requests (``WriteQueue``).
///
/// NB: this type is unchecked, because `condition` guards the queue, and only the writer's thread
/// uses the other properties.
final class SQLiteWriter<Session: SQLSession>: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting = WriteQueue<Session>()
  /// Whether the thread waits for work.
  private var isIdle = false
  /// The time at which the clock wakes the thread, or nil.
  private var wakeTime: Int64?
  private var isCheckpointDue = false
  /// Whether a body was added since the last call of ``releaseMemory()``.
  private var wasUsed = false
  private var isReleaseDue = false
  private var isClosed = false
  private var hasEnded = false
  private var closers: [CheckedContinuation<Void, Never>] = []

  private let waitingMax: Int
  private let clock: WriteClock?
  private let transactions: WriteTransactions<Session>
  private let checkpoints: SQLiteCheckpoints

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - connection: the connection, which the writer owns and closes.
  ///   - waitingMax: the maximum number of waiting bodies.
  ///   - watch: checks whether committed data will exist after a restart.
  ///   - clock: orders the bodies of several callers. If it is nil, bodies run in the order of
  ///     their arrival.
  init(
    connection: SQLiteConnection, path: String, waitingMax: Int, watch: FileWatch,
    clock: WriteClock? = nil
  ) {
    self.waitingMax = waitingMax
    self.clock = clock
    transactions = WriteTransactions(
      connection: connection, watch: watch, stopwatch: { clock?.stopwatch() ?? 0 })
    checkpoints = SQLiteCheckpoints(path: path)
    connection.countPagesInLog()
    // NB: the thread holds a reference to the writer. The writer is therefore released only after
    // `close` has ended the thread.
    let thread = Thread {
      // NB: the system shows the name of a thread only if the thread itself has set the name.
      Thread.current.name = "stratus-writer"
      self.serve()
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  /// Adds a body to the queue, and returns its result (see ``SQLEngine/write(_:)``).
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let origin = WriteOrigin.current
    let result = await withCheckedContinuation { continuation in
      let write = WriteBody<Session, Value>(body, from: origin, continuation: continuation)
      if let refusal = enqueue(write) { write.finish(failure: refusal) }
    }
    return try result.get()
  }

  /// Finishes the waiting bodies, refuses new bodies, and closes the connection.
  func close() async {
    await withCheckedContinuation { continuation in
      if !enqueueClose(continuation) { continuation.resume() }
    }
  }

  private func enqueue(_ write: any WaitingWrite<Session>) -> ServerError? {
    condition.lock()
    defer { condition.unlock() }
    if isClosed { return SQLiteFailure.closed }
    if waiting.count >= waitingMax { return SQLiteFailure.busy() }
    waiting.add(write, at: now)
    wasUsed = true
    if isIdle { condition.signal() }
    return nil
  }

  /// - Returns: false if the writer's thread has already ended.
  private func enqueueClose(_ closer: CheckedContinuation<Void, Never>) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if hasEnded { return false }
    isClosed = true
    closers.append(closer)
    condition.signal()
    return true
  }

  private func enqueueCheckpoint() {
    condition.lock()
    defer { condition.unlock() }
    isCheckpointDue = true
    condition.signal()
  }

  /// Frees the cached pages if bodies were added before the last call of this method, but none
  /// since then.
  func releaseMemory() {
    condition.lock()
    defer { condition.unlock() }
    defer { wasUsed = false }
    if wasUsed {
      isReleaseDue = true
    } else if isReleaseDue {
      condition.signal()
    }
  }

  private enum Work {
    case bodies([any WaitingWrite<Session>])
    case checkpoint
    case release
  }

  private func serve() {
    while let work = nextWork() {
      switch work {
      case .bodies(let bodies):
        let left = transactions.run(bodies)
        noteEnd(of: bodies, left: left)
        startCheckpointIfDue()
      case .checkpoint: continueCheckpoint()
      case .release: transactions.connection.releaseMemory()
      }
    }
    checkpoints.close()
    transactions.close()
    for closer in end() { closer.resume() }
  }

  private func startCheckpointIfDue() {
    let connection = transactions.connection
    if checkpoints.isDue(pagesInLog: connection.pagesInLog, mustShrink: connection.mustShrink) {
      checkpoints.copy { self.enqueueCheckpoint() }
    }
  }

  private func continueCheckpoint() {
    let connection = transactions.connection
    let next = checkpoints.next(
      pagesInLog: connection.pagesInLog, mustShrink: connection.mustShrink)
    switch next {
    case .copy: checkpoints.copy { self.enqueueCheckpoint() }
    case .finish:
      connection.checkpoint()
      checkpoints.finish(pagesInLog: connection.pagesInLog)
      if connection.mustShrink { startCheckpointIfDue() }
    case .rest: break
    }
  }

  /// Waits for work. Returns nil if the writer was closed and no work is left.
  private func nextWork() -> Work? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if isCheckpointDue {
        isCheckpointDue = false
        return .checkpoint
      }
      switch waiting.take(at: now, inOrder: clock == nil || isClosed) {
      case .run(let bodies): return .bodies(bodies)
      case .wait(let time): wake(at: time)
      case .nothing: break
      }
      if isReleaseDue, !wasUsed {
        isReleaseDue = false
        return .release
      }
      if isClosed { return nil }
      isIdle = true
      condition.wait()
      isIdle = false
    }
  }

  /// The time in nanoseconds, or 0 without a clock.
  private var now: Int64 { clock?.stopwatch() ?? 0 }

  /// Makes the clock wake the thread, unless the clock wakes it earlier anyway. The caller holds
  /// the lock.
  private func wake(at time: Int64) {
    guard let clock, wakeTime.map({ time < $0 }) ?? true else { return }
    wakeTime = time
    clock.wake(time - clock.stopwatch()) { self.awake(at: time) }
  }

  private func awake(at time: Int64) {
    condition.lock()
    defer { condition.unlock() }
    if wakeTime == time { wakeTime = nil }
    condition.signal()
  }

  private func noteEnd(
    of bodies: [any WaitingWrite<Session>], left: ArraySlice<any WaitingWrite<Session>>
  ) {
    if clock == nil, left.isEmpty { return }
    condition.lock()
    defer { condition.unlock() }
    waiting.putBack(left)
    waiting.noteEnd(
      of: bodies, works: transactions.workNanoseconds, commit: transactions.commitNanoseconds,
      at: now)
  }

  private func end() -> [CheckedContinuation<Void, Never>] {
    condition.lock()
    defer { condition.unlock() }
    hasEnded = true
    return closers
  }
}
