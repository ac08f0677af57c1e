import StratusTransport
import Synchronization

/// Carries out the decisions of an engine's plans, one after another. The plans only compute, and
/// the driver waits for the delegate, the server and the clock.
///
/// One task does all work that is due, and ends when no work is left. Only this task calls the
/// delegate. Requests run in separate tasks, so that they can be cancelled without cancelling the
/// delegate.
final class SyncDriver: Sendable {
  let configuration: CKSyncEngine.Configuration
  let state: CKSyncEngine.State
  let surroundings: SyncSurroundings
  let core: Mutex<Core>

  /// The state that the tasks share.
  struct Core {
    var schedule: SyncSchedule
    /// NB: the reference is weak, so that releasing the engine ends its work.
    weak var engine: CKSyncEngine?
    var isLooping = false
    var isStopped = false
    /// The revision of the last state that was reported to the delegate.
    var reportedRevision: Int
    var timer: Task<Void, Never>?
    /// The ID of the newest timer that the loop requested.
    var timerID = 0
    var listeners: [Task<Void, Never>] = []
    /// The running job.
    var job: SyncJob?
    /// The results of the last jobs, for ``CKSyncEngine/Status``.
    var record = SyncRecord()
    /// Whether the job is cancelled, and ends as soon as it can.
    var isCancelled = false
    /// Whether the job was cancelled because no caller waits for it any more.
    var isAbandoned = false
    /// The newest call of the delegate.
    var call: DelegateCall?
    /// Whether the job must check that the account is still the same.
    var isAccountDoubtful = false
    var requests: [(id: Int, task: Task<Void, Never>)] = []
    var lastID = 0
    var waiters: [Waiter] = []
    /// Whether the server rejects subscriptions.
    var isSubscriptionRefused = false
    /// Whether the server may lack the subscription, because it was restored from a backup, or
    /// because the stream of notifications is opened for the first time.
    var isSubscriptionDoubtful = false

    mutating func newID() -> Int {
      lastID += 1
      return lastID
    }

    /// Removes and returns the callers that wait for these jobs.
    mutating func takeWaiters(for jobs: [Int]) -> [Waiter] {
      let taken = waiters.filter { jobs.contains($0.jobID) }
      waiters.removeAll { jobs.contains($0.jobID) }
      return taken
    }
  }

  /// A caller that waits for the end of a job.
  struct Waiter: Sendable {
    let id: Int
    let jobID: Int
    /// Whether the caller has cancelled the job and waits only for its end.
    var isObserver = false
    var timeout: Task<Void, Never>?
    let continuation: CheckedContinuation<Result<Void, CKError>, Never>

    func resume(_ failure: CKError?) {
      timeout?.cancel()
      continuation.resume(returning: failure.map { .failure($0) } ?? .success(()))
    }
  }

  init(
    _ configuration: CKSyncEngine.Configuration, state: CKSyncEngine.State,
    surroundings: SyncSurroundings
  ) {
    self.configuration = configuration
    self.state = state
    self.surroundings = surroundings
    let isAutomatic =
      configuration.automaticallySync && configuration.database.databaseScope != .public
    core = Mutex(
      Core(
        schedule: SyncSchedule(
          sendsByItself: isAutomatic && surroundings.sendsByItself,
          fetchesByItself: isAutomatic && surroundings.fetchesByItself),
        reportedRevision: state.with { $0.revision }))
  }

  var now: Double { surroundings.timing.now() }

  // Start and stop.

  /// Starts to listen and to work.
  func begin(for engine: CKSyncEngine) {
    let now = now
    let listensToServer = core.withLock { core in
      core.engine = engine
      core.schedule.begin(now: now)
      return core.schedule.fetchesByItself
    }
    state.observe { [weak self] in self?.stateHasChanged(isToSend: $0) }
    guard configuration.database.databaseScope != .public else { return }
    var listeners = [listen(to: surroundings.accounts)]
    if listensToServer {
      listeners.append(listen(toOpeningsOf: surroundings.notifications))
      listeners.append(listen(to: surroundings.notifications))
    }
    core.withLock { $0.listeners = listeners }
    wake()
  }

  /// Ends all work. Waiting calls fail with `CKError.operationCancelled`.
  func stop() {
    let (tasks, waiters) = core.withLock { core in
      core.isStopped = true
      defer {
        core.listeners = []
        core.requests = []
        core.timer = nil
        core.waiters = []
      }
      let tasks = core.listeners + core.requests.map(\.task) + (core.timer.map { [$0] } ?? [])
      return (tasks, core.waiters)
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.resume(CKError(.operationCancelled)) }
  }

  // The task that does the work.

  /// Starts the task that does the due work, unless that task is running.
  func wake() {
    let isToRun = core.withLock { core in
      if core.isStopped || core.isLooping { return false }
      core.isLooping = true
      return true
    }
    if isToRun { _ = surroundings.spawn { [weak self] in await self?.run() } }
  }

  private enum Step {
    case reportState
    case checkAccount
    case perform(SyncJob)
    case wait(until: Double, timerID: Int)
    case end
  }

  private func run() async {
    while true {
      switch nextStep() {
      case .reportState: await reportState()
      case .checkAccount: await checkAccount()
      case .perform(let job): await perform(job)
      case .wait(let due, let timerID): return setTimer(timerID, due)
      case .end: return
      }
    }
  }

  private func nextStep() -> Step {
    let now = now
    return core.withLock { core in
      if core.isStopped {
        core.isLooping = false
        return .end
      }
      // NB: the revision is read under the lock that `wake` takes. Otherwise a change could be
      // missed.
      if state.with({ $0.revision }) != core.reportedRevision { return .reportState }
      switch core.schedule.next(now: now) {
      case .checkAccount: return .checkAccount
      case .perform(let job):
        core.job = job
        core.isCancelled = false
        core.isAbandoned = false
        return .perform(job)
      case .wait(let due):
        core.isLooping = false
        core.timerID = core.newID()
        return .wait(until: due, timerID: core.timerID)
      case .rest:
        core.isLooping = false
        return .end
      }
    }
  }

  private func perform(_ job: SyncJob) async {
    var end: SyncJobEnd =
      switch job.work {
      case .fetch(let options): await fetch(options, for: job.reason)
      case .send(let options): await send(options, for: job.reason)
      }
    await reportState()
    let (now, chance) = (now, surroundings.timing.chance())
    let waiters = core.withLock { core in
      core.job = nil
      core.isCancelled = false
      end.isAbandoned = core.isAbandoned
      core.schedule.end(job, end, now: now, chance: chance)
      core.record.note(job, end, at: now)
      return core.takeWaiters(for: [job.id])
    }
    for waiter in waiters { waiter.resume(end.thrownError) }
  }

  private func setTimer(_ id: Int, _ due: Double) {
    let timing = surroundings.timing
    let task = surroundings.spawn { [weak self] in
      let delay = due - timing.now()
      if delay > 0 {
        do { try await timing.sleep(delay) } catch { return }
      }
      self?.wake()
    }
    // NB: the loop may have run again in the meantime, and may have requested another timer.
    let useless = core.withLock { core -> Task<Void, Never>? in
      if core.isStopped || core.timerID != id { return task }
      defer { core.timer = task }
      return core.timer
    }
    useless?.cancel()
  }
}
