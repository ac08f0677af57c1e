#if Postgres
  import Foundation
  import StratusDomain

  /// Threads with one connection each, and the bodies (closures that read or write) that wait for
  /// them.
  ///
  /// Bodies that lock the same zones form a lane. Only one thread at a time works on a lane, and it
  /// runs several bodies of the lane in one transaction. A zone that many callers change is faster
  /// in this way than with one connection for each body (measured, `nodes.md`).
  ///
  /// If lanes wait although all threads work, a thread takes several lanes into one transaction. So
  /// the lanes share the statements that each transaction needs.
  ///
  /// NB: `@unchecked` is safe, because `condition` guards all variables.
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
    private let lanesMax: Int
    private let commitsPerBacklog: Int
    private let makeWorker: @Sendable (_ name: String) -> any PostgresWorking

    private var lanes: [Lane: [any PostgresJob]] = [:]
    /// The lanes that have waiting bodies and on which no thread works. The lane that became ready
    /// first is the first one.
    private var ready: [Lane] = []
    private var waiting = 0
    private var bodies = 0
    private var threads = 0
    private var idle = 0
    private var isClosed = false
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - name: the beginning of the threads' names. A hyphen and the number of the thread follow.
    ///   - lanesMax: the maximum number of lanes that a worker gets at once.
    ///   - commitsPerBacklog: see ``PostgresLimits/commitsPerBacklog``.
    ///   - makeWorker: creates the worker of a new thread.
    init(
      name: String, threadsMax: Int, waitingMax: Int,
      lanesMax: Int = PostgresLimits.lanesPerCommitMax,
      commitsPerBacklog: Int = PostgresLimits.commitsPerBacklog,
      makeWorker: @escaping @Sendable (_ name: String) -> any PostgresWorking
    ) {
      self.name = name
      self.threadsMax = threadsMax
      self.waitingMax = waitingMax
      self.lanesMax = lanesMax
      self.commitsPerBacklog = commitsPerBacklog
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

    /// NB: the new thread counts as idle until it looks for work. So no other thread takes the work
    /// for which it is started.
    private func startThread() {
      threads += 1
      idle += 1
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
      var lanes: [Lane]?
      while let work = nextWork(after: lanes) {
        worker.run(work.map(\.jobs))
        lanes = work.map(\.lane)
      }
      worker.close()
      for closer in endThread() { closer.resume() }
    }

    /// A lane, and the bodies that a thread has taken from it.
    private struct Taken {
      let lane: Lane
      let jobs: [any PostgresJob]
    }

    /// Waits for work.
    ///
    /// - Parameter finished: the lanes on which the thread has worked, or nil for a new thread.
    /// - Returns: nil if the pool is closed and no body waits.
    private func nextWork(after finished: [Lane]?) -> [Taken]? {
      condition.lock()
      defer { condition.unlock() }
      if finished == nil { idle -= 1 }
      for lane in finished ?? [] { leave(lane) }
      while true {
        if !ready.isEmpty {
          let work = takeLanes(atMost: lanesPerTransaction)
          // A thread that leaves several lanes may leave more than it takes.
          for _ in 0..<min(ready.count, idle) { condition.signal() }
          return work
        }
        if isClosed { return nil }
        idle += 1
        condition.wait()
        idle -= 1
      }
    }

    /// The maximum number of lanes for the next transaction. It is 1 while a thread is free,
    /// because a body would then wait for the bodies of other lanes without need.
    private var lanesPerTransaction: Int {
      guard idle == 0, threads >= threadsMax else { return 1 }
      let parts = min(threadsMax, commitsPerBacklog)
      return min(lanesMax, (ready.count + parts - 1) / parts)
    }

    /// Takes the first ready lane, and further ready lanes of the same schema. The order of the
    /// result is that of ``PostgresJob/order``.
    ///
    /// NB: a body that names no zones stays alone. It may conflict with any other body, it may run
    /// for long, and it may hold locks for which the zones of a group would wait.
    private func takeLanes(atMost lanesMax: Int) -> [Taken] {
      var work = [take(ready.removeFirst(), atMost: PostgresLimits.bodiesPerCommitMax)]
      guard case .zones(let schema, _) = work[0].lane else { return work }
      var left = PostgresLimits.bodiesPerCommitMax - work[0].jobs.count
      var position = 0
      while position < ready.count, work.count < lanesMax, left > 0 {
        guard case .zones(schema, _) = ready[position] else {
          position += 1
          continue
        }
        let taken = take(ready.remove(at: position), atMost: left)
        left -= taken.jobs.count
        work.append(taken)
      }
      if work.count == 1 { return work }
      return work.sorted { ($0.jobs.first?.order ?? "") < ($1.jobs.first?.order ?? "") }
    }

    /// Takes the oldest bodies of a lane.
    private func take(_ lane: Lane, atMost bodiesMax: Int) -> Taken {
      let jobs = lanes[lane] ?? []
      let taken = Array(jobs.prefix(bodiesMax))
      lanes[lane] = Array(jobs.dropFirst(taken.count))
      waiting -= taken.count
      return Taken(lane: lane, jobs: taken)
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
    /// Runs the bodies of one or several lanes, and resumes their callers.
    ///
    /// - Parameter lanes: the bodies of each lane, oldest first. Bodies of several lanes have the
    ///   same schema.
    func run(_ lanes: [[any PostgresJob]])

    func close()
  }
#endif
