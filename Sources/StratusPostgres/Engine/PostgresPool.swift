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
  /// The lanes of short bodies share transactions, because one statement can then do the work of
  /// many bodies. So only a few threads work on such lanes at the same time. Further threads do so
  /// if many lanes wait, or if the others do not get on.
  ///
  /// NB: `@unchecked` is safe, because `condition` guards all variables.
  final class PostgresPool: @unchecked Sendable {
    private enum Lane: Hashable {
      case zones(schema: String, locks: [Int64])
      /// The lane of a single body that locks no zones. The number is that of the body.
      case own(Int)
    }

    /// A lane that waits for a thread, and the number that it got when it became ready.
    private struct Ready {
      let lane: Lane
      let number: Int
    }

    /// The lanes of one schema whose first bodies are short.
    private struct Short {
      /// The lanes that became ready, the first one first.
      var ready: [Ready] = []
      /// The number of threads that work on such lanes, except those that wait for locks.
      var threads = 0
      /// The number of their transactions that have ended.
      var ends = 0
    }

    private let condition = NSCondition()
    private let name: String
    private let threadsMax: Int
    private let waitingMax: Int
    private let lanesMax: Int
    private let laneThreads: Int
    private let stuckSeconds: Double
    private let now: (@Sendable () -> Int64)?
    private let makeWorker: @Sendable (_ name: String) -> any PostgresWorking

    private var lanes: [Lane: [any PostgresJob]] = [:]
    /// The lanes that have waiting bodies and on which no thread works. These are the lanes with
    /// short bodies, by schema. A schema without such lanes and without threads is left out.
    private var short: [String: Short] = [:]
    /// The other lanes that have waiting bodies and on which no thread works, the first one first.
    private var other: [Ready] = []
    private var readyCount = 0
    /// Whether a thread waits for the end of a transaction of short bodies.
    private var isWatched = false
    private var waiting = 0
    private var bodies = 0
    private var threads = 0
    private var idle = 0
    private var isClosed = false
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - name: the beginning of the threads' names. A hyphen and the number of the thread follow.
    ///   - lanesMax: the maximum number of lanes that a worker gets at once.
    ///   - laneThreads: see ``PostgresLimits/laneThreads``.
    ///   - stuckSeconds: see ``PostgresLimits/stuckSeconds``.
    ///   - now: returns the time in milliseconds since 1970 UTC. If it is nil, threads wait without
    ///     a limit.
    ///   - makeWorker: creates the worker of a new thread.
    init(
      name: String, threadsMax: Int, waitingMax: Int,
      lanesMax: Int = PostgresLimits.lanesPerCommitMax,
      laneThreads: Int = PostgresLimits.laneThreads,
      stuckSeconds: Double = PostgresLimits.stuckSeconds, now: (@Sendable () -> Int64)? = nil,
      makeWorker: @escaping @Sendable (_ name: String) -> any PostgresWorking
    ) {
      self.name = name
      self.threadsMax = threadsMax
      self.waitingMax = waitingMax
      self.lanesMax = lanesMax
      self.laneThreads = laneThreads
      self.stuckSeconds = stuckSeconds
      self.now = now
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
      let isNew = lanes[lane] == nil
      lanes[lane, default: []].append(job)
      if isNew {
        // NB: if there was a task for the lane before, a thread was woken for the task.
        let before = tasks
        makeReady(lane)
        if tasks > before || tasks == 0 { wake() }
      }
      return nil
    }

    private func makeReady(_ lane: Lane) {
      readyCount += 1
      let ready = Ready(lane: lane, number: readyCount)
      if case .zones(let schema, _) = lane, lanes[lane]?.first?.wish != nil {
        short[schema, default: Short()].ready.append(ready)
      } else {
        other.append(ready)
      }
    }

    /// Whether a thread may take lanes with short bodies of a schema. With each full transaction
    /// that waits, one more thread may do so.
    private func mayTake(_ short: Short) -> Bool {
      if short.ready.isEmpty { return false }
      return short.threads < laneThreads
        || short.ready.count >= lanesMax * (short.threads - laneThreads + 1)
    }

    /// The number of transactions that threads may begin. One of them takes all lanes with short
    /// bodies of a schema.
    private var tasks: Int { other.count + short.values.filter { mayTake($0) }.count }

    /// The schema whose lane with short bodies became ready first, or nil if there is no such lane.
    private func firstShort(where isWanted: (Short) -> Bool) -> (schema: String, number: Int)? {
      var first: (schema: String, number: Int)?
      for (schema, lanes) in short {
        guard let number = lanes.ready.first?.number, number < first?.number ?? .max,
          isWanted(lanes)
        else { continue }
        first = (schema, number)
      }
      return first
    }

    /// Wakes or starts a thread for the ready lanes.
    ///
    /// NB: a woken thread counts as idle until it runs. So the number of tasks is compared with the
    /// number of idle threads.
    private func wake() {
      let tasks = tasks
      if tasks > 0 {
        if tasks > idle, threads < threadsMax { startThread() } else { condition.signal() }
      } else if needsWatch {
        if idle == 0, threads < threadsMax { startThread() } else { condition.signal() }
      }
    }

    /// Whether lanes wait for other threads, and no thread notices if these do not get on.
    private var needsWatch: Bool {
      !isWatched && short.values.contains { !$0.ready.isEmpty }
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
      var done: Work?
      while let work = nextWork(after: done) {
        var schema = work.schema
        worker.run(work.lanes.map(\.jobs)) {
          if let counted = schema { self.noteWaiting(in: counted) }
          schema = nil
        }
        done = Work(lanes: work.lanes, schema: schema)
      }
      worker.close()
      for closer in endThread() { closer.resume() }
    }

    /// A lane, and the bodies that a thread has taken from it.
    private struct Taken {
      let lane: Lane
      let jobs: [any PostgresJob]
    }

    /// The lanes of a transaction.
    private struct Work {
      let lanes: [Taken]
      /// The schema in whose ``Short/threads`` the thread counts, or nil.
      let schema: String?
    }

    /// Lets another thread work on short bodies, because this one waits for locks.
    private func noteWaiting(in schema: String) {
      condition.lock()
      defer { condition.unlock() }
      endShort(in: schema)
      wake()
    }

    private func endShort(in schema: String) {
      guard var lanes = short[schema] else { return }
      lanes.threads -= 1
      lanes.ends += 1
      short[schema] = lanes.threads == 0 && lanes.ready.isEmpty ? nil : lanes
    }

    /// Waits for work.
    ///
    /// - Parameter done: the lanes on which the thread has worked, or nil for a new thread.
    /// - Returns: nil if the pool is closed and no body waits for this thread.
    private func nextWork(after done: Work?) -> Work? {
      condition.lock()
      defer { condition.unlock() }
      if let done {
        for taken in done.lanes { leave(taken.lane) }
        if let schema = done.schema { endShort(in: schema) }
      } else {
        idle -= 1
      }
      while true {
        if let work = takeWork() {
          signalOthers()
          return work
        }
        // NB: if lanes with short bodies wait, other threads work on such lanes, and take them
        // later.
        if isClosed { return nil }
        idle += 1
        let stuck = waitForWork()
        idle -= 1
        if let stuck {
          let work = takeShort(of: stuck)
          signalOthers()
          return work
        }
      }
    }

    /// A thread may leave more lanes than it takes.
    private func signalOthers() {
      let tasks = tasks
      for _ in 0..<min(tasks, idle) { condition.signal() }
      if tasks == 0, idle > 0, needsWatch { condition.signal() }
    }

    /// Waits until another thread signals.
    ///
    /// - Returns: a schema with lanes of short bodies that wait, if no transaction of such bodies
    ///   has ended in it during the wait.
    private func waitForWork() -> String? {
      guard !isWatched, let now, let schema = firstShort(where: { _ in true })?.schema else {
        condition.wait()
        return nil
      }
      isWatched = true
      defer { isWatched = false }
      let ends = short[schema]?.ends
      let end = Date(timeIntervalSince1970: Double(now()) / 1_000 + stuckSeconds)
      if condition.wait(until: end) { return nil }
      guard let lanes = short[schema], lanes.ends == ends, !lanes.ready.isEmpty else { return nil }
      return schema
    }

    /// Takes the lane that became ready first, or nil if no lane may be taken. A lane with short
    /// bodies is taken together with others.
    ///
    /// NB: all other bodies stay alone. They may run for long, and a body that names no zones may
    /// conflict with any other body, and may hold locks for which the zones of a group would wait.
    private func takeWork() -> Work? {
      let number = other.first?.number ?? .max
      if let first = firstShort(where: { mayTake($0) }), first.number < number {
        return takeShort(of: first.schema)
      }
      if other.isEmpty { return nil }
      let lane = other.removeFirst().lane
      return Work(lanes: [take(lane, atMost: PostgresLimits.bodiesPerCommitMax)], schema: nil)
    }

    /// Takes the lanes with short bodies of a schema that became ready first. The order of the
    /// result is that of ``PostgresJob/order``.
    private func takeShort(of schema: String) -> Work {
      var lanes = short[schema] ?? Short()
      lanes.threads += 1
      var taken: [Taken] = []
      var left = PostgresLimits.bodiesPerCommitMax
      while !lanes.ready.isEmpty, taken.count < lanesMax, left > 0 {
        let next = take(lanes.ready.removeFirst().lane, atMost: left)
        left -= next.jobs.count
        taken.append(next)
      }
      short[schema] = lanes
      if taken.count > 1 {
        taken.sort { ($0.jobs.first?.order ?? "") < ($1.jobs.first?.order ?? "") }
      }
      return Work(lanes: taken, schema: schema)
    }

    /// Takes the oldest bodies of a lane: either short ones or others.
    private func take(_ lane: Lane, atMost bodiesMax: Int) -> Taken {
      let jobs = lanes[lane] ?? []
      let isShort = jobs.first?.wish != nil
      let taken = Array(jobs.prefix(bodiesMax).prefix { ($0.wish != nil) == isShort })
      lanes[lane] = Array(jobs.dropFirst(taken.count))
      waiting -= taken.count
      return Taken(lane: lane, jobs: taken)
    }

    private func leave(_ lane: Lane) {
      if lanes[lane]?.isEmpty == false {
        makeReady(lane)
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
    /// - Parameters:
    ///   - lanes: the bodies of each lane, oldest first. Bodies of several lanes have the same
    ///     schema.
    ///   - whenWaiting: is called before the thread waits for locks that others hold.
    func run(_ lanes: [[any PostgresJob]], whenWaiting: () -> Void)

    func close()
  }
#endif
