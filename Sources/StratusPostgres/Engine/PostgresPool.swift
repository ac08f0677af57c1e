#if Postgres
  import Foundation
  import StratusDomain

  /// Threads with one connection each, and the bodies that wait for them.
  ///
  /// Bodies that lock the same zones form a lane. Only one thread at a time works on a lane, and it
  /// runs several bodies of the lane in one transaction. A zone that many callers change is faster
  /// in this way than with one connection for each body (measured, `nodes.md`).
  ///
  /// NB: this type is unchecked, because `condition` guards all variables.
  final class PostgresPool: @unchecked Sendable {
    private enum Lane: Hashable {
      case zones(schema: String, locks: [Int64])
      /// The lane of a single body that locks no zones. The number is that of the body.
      case own(Int)
    }

    private let condition = NSCondition()
    private let name: String
    private let threadsMax: Int
    private let waitingMax: Int
    private let makeWorker: @Sendable (_ name: String) -> any PostgresWorking

    private var lanes: [Lane: [any PostgresJob]] = [:]
    /// The lanes that have waiting bodies and on which no thread works, in the order of their first
    /// bodies.
    private var ready: [Lane] = []
    private var waiting = 0
    private var bodies = 0
    private var threads = 0
    private var idle = 0
    private var isClosed = false
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - name: the beginning of the threads' names. A hyphen and the number of the thread follow.
    ///   - makeWorker: creates the worker of a new thread.
    init(
      name: String, threadsMax: Int, waitingMax: Int,
      makeWorker: @escaping @Sendable (_ name: String) -> any PostgresWorking
    ) {
      self.name = name
      self.threadsMax = threadsMax
      self.waitingMax = waitingMax
      self.makeWorker = makeWorker
    }

    /// Adds a body. If it cannot be added, its caller gets `TRY_AGAIN_LATER`.
    func add(_ job: any PostgresJob) {
      if let refusal = enqueue(job) { job.finish(failure: refusal) }
    }

    /// Finishes the waiting bodies, refuses new ones, and closes the connections.
    func close() async {
      await withCheckedContinuation { continuation in
        if !enqueueClose(continuation) { continuation.resume() }
      }
    }

    private func enqueue(_ job: any PostgresJob) -> ServerError? {
      condition.lock()
      defer { condition.unlock() }
      if isClosed { return PostgresFailure.closed }
      if waiting >= waitingMax { return PostgresFailure.busy() }
      waiting += 1
      bodies += 1
      let lane: Lane =
        job.locks.isEmpty ? .own(bodies) : .zones(schema: job.schema, locks: job.locks)
      // NB: a lane without waiting bodies stays in `lanes` while a thread works on it.
      if lanes[lane] == nil { ready.append(lane) }
      lanes[lane, default: []].append(job)
      // NB: a woken thread counts as idle until it runs. So the number of ready lanes is compared
      // with the number of idle threads.
      if ready.count > idle, threads < threadsMax {
        startThread()
      } else {
        condition.signal()
      }
      return nil
    }

    /// - Returns: false if all threads have ended.
    private func enqueueClose(_ closer: CheckedContinuation<Void, Never>) -> Bool {
      condition.lock()
      defer { condition.unlock() }
      isClosed = true
      if threads == 0 { return false }
      closers.append(closer)
      condition.broadcast()
      return true
    }

    private func startThread() {
      threads += 1
      let name = "\(name)-\(threads)"
      let thread = Thread {
        // NB: the system shows the name of a thread only if the thread itself has set the name.
        Thread.current.name = name
        self.serve(self.makeWorker(name))
      }
      thread.stackSize = PostgresLimits.stackSizeBytes
      thread.start()
    }

    private func serve(_ worker: any PostgresWorking) {
      var lane: Lane?
      while let work = nextWork(after: lane) {
        worker.run(work.jobs)
        lane = work.lane
      }
      worker.close()
      for closer in endThread() { closer.resume() }
    }

    private func nextWork(
      after finished: Lane?
    ) -> (lane: Lane, jobs: [any PostgresJob])? {
      condition.lock()
      defer { condition.unlock() }
      if let finished { leave(finished) }
      while true {
        if !ready.isEmpty {
          let lane = ready.removeFirst()
          let jobs = lanes[lane] ?? []
          let taken = Array(jobs.prefix(PostgresLimits.bodiesPerCommitMax))
          lanes[lane] = Array(jobs.dropFirst(taken.count))
          waiting -= taken.count
          return (lane, taken)
        }
        if isClosed { return nil }
        idle += 1
        condition.wait()
        idle -= 1
      }
    }

    private func leave(_ lane: Lane) {
      if lanes[lane]?.isEmpty == false {
        ready.append(lane)
      } else {
        lanes[lane] = nil
      }
    }

    private func endThread() -> [CheckedContinuation<Void, Never>] {
      condition.lock()
      defer { condition.unlock() }
      threads -= 1
      guard threads == 0 else { return [] }
      defer { closers = [] }
      return closers
    }
  }

  /// The work of one thread of a pool.
  protocol PostgresWorking: AnyObject {
    /// Runs bodies of one lane, and resumes their callers.
    func run(_ jobs: [any PostgresJob])

    func close()
  }
#endif
