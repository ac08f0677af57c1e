import StratusTransport
import Synchronization

/// Does what an engine's plans say, one thing after another: the only part of it that waits.
///
/// What is due is done by one task, which ends when nothing is; it alone calls the delegate.
/// Requests run in tasks of their own, so that they can be cancelled and the delegate never is.
final class SyncDriver: Sendable {
  let configuration: CKSyncEngine.Configuration
  let state: CKSyncEngine.State
  let surroundings: SyncSurroundings
  let core: Mutex<Core>

  /// What the tasks share.
  struct Core {
    var schedule: SyncSchedule
    /// NB: not held, so that letting go of the engine ends its work.
    weak var engine: CKSyncEngine?
    var isLooping = false
    var isStopped = false
    /// The revision of the state that the delegate has.
    var reportedRevision: Int
    var timer: Task<Void, Never>?
    /// The newest wish for a timer.
    var timerID = 0
    var listeners: [Task<Void, Never>] = []
    /// The job that is being done.
    var job: SyncJob?
    /// Whether it is to end as soon as it can.
    var isCalledOff = false
    /// Whether it was called off because nobody waits for it any more.
    var isAbandoned = false
    /// The newest call of the delegate.
    var call: DelegateCall?
    /// Whether it must make sure that the user is the same.
    var isAccountDoubtful = false
    var requests: [(id: Int, task: Task<Void, Never>)] = []
    var lastID = 0
    var waiters: [Waiter] = []
    var onlookers: [Onlooker] = []
    /// Whether the server will have no subscription.
    var isSubscriptionHopeless = false
    /// Whether the server may have lost the subscription: it was set back to a backup, or its
    /// stream is heard for the first time.
    var isSubscriptionDoubtful = false

    mutating func newID() -> Int {
      lastID += 1
      return lastID
    }

    /// Takes out those who wait for some jobs.
    mutating func takeWaiters(for jobs: [Int]) -> [Waiter] {
      let taken = waiters.filter { jobs.contains($0.jobID) }
      waiters.removeAll { jobs.contains($0.jobID) }
      return taken
    }
  }

  /// Somebody who waits for a job.
  struct Waiter: Sendable {
    let id: Int
    let jobID: Int
    /// Seconds on the engine's clock.
    let began: Double
    let continuation: CheckedContinuation<Result<Void, CKError>, Never>

    func resume(_ failure: CKError?) {
      continuation.resume(returning: failure.map { .failure($0) } ?? .success(()))
    }
  }

  /// Somebody who waits for the job that is being done to end, however it does.
  struct Onlooker: Sendable {
    let id: Int
    /// Seconds on the engine's clock.
    let began: Double
    let continuation: CheckedContinuation<Void, Never>
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

  // The engine's life.

  /// Begins to listen and to work.
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

  /// Ends everything; who waits gets `CKError.operationCancelled`.
  func stop() {
    let (tasks, waiters, onlookers) = core.withLock { core in
      core.isStopped = true
      defer {
        core.listeners = []
        core.requests = []
        core.timer = nil
        core.waiters = []
        core.onlookers = []
      }
      let tasks = core.listeners + core.requests.map(\.task) + (core.timer.map { [$0] } ?? [])
      return (tasks, core.waiters, core.onlookers)
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.resume(CKError(.operationCancelled)) }
    for onlooker in onlookers { onlooker.continuation.resume() }
  }

  // The one task.

  /// Sees to it that what is due is done.
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
      // NB: asked under the lock that `wake` takes, so that no change goes unseen.
      if state.with({ $0.revision }) != core.reportedRevision { return .reportState }
      switch core.schedule.next(now: now) {
      case .checkAccount: return .checkAccount
      case .perform(let job):
        core.job = job
        core.isCalledOff = false
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
    let (waiters, onlookers) = core.withLock { core in
      core.job = nil
      core.isCalledOff = false
      end.isAbandoned = core.isAbandoned
      core.schedule.end(job, end, now: now, chance: chance)
      defer { core.onlookers = [] }
      return (core.takeWaiters(for: [job.id]), core.onlookers)
    }
    for waiter in waiters { waiter.resume(end.failure) }
    for onlooker in onlookers { onlooker.continuation.resume() }
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
    // NB: the loop may have run again since, and wish for another.
    let useless = core.withLock { core -> Task<Void, Never>? in
      if core.isStopped || core.timerID != id { return task }
      defer { core.timer = task }
      return core.timer
    }
    useless?.cancel()
  }
}
