/// Decides the next work of an engine, and the time of that work. The schedule starts the jobs that
/// ``FetchPlan`` and ``SendPlan`` then control.
///
/// The schedule is pure: its methods receive the time and a random number as arguments. One job
/// runs at a time. Manual jobs have priority over scheduled jobs.
struct SyncSchedule: Sendable {
  enum Step: Sendable {
    /// The engine finds out which account is signed in.
    case checkAccount
    case perform(SyncJob)
    /// Nothing is due before this time, in seconds on the clock.
    case wait(until: Double)
    /// Nothing is due until an event changes the schedule.
    case rest
  }

  /// Scheduled work of one kind, with the time at which it is due and the number of consecutive
  /// failures.
  private struct ScheduledWork: Sendable {
    var due: Double?
    var notBefore: Double?
    var failuresCount = 0
    /// Whether the running job does the work that was due.
    private(set) var isTaken = false

    mutating func want(at time: Double) {
      due = Swift.min(due ?? .infinity, Swift.max(time, notBefore ?? time))
    }

    mutating func postpone(to time: Double) {
      failuresCount += 1
      notBefore = time
      due = time
    }

    mutating func settle() {
      failuresCount = 0
      notBefore = nil
    }

    /// Handles the start of a job that does this work.
    mutating func take() {
      if due != nil { isTaken = true }
      due = nil
    }

    /// Handles the end of the job.
    mutating func release(isDueAgain: Bool, now: Double) {
      if isDueAgain, isTaken { want(at: now) }
      isTaken = false
    }
  }

  private enum Account: Sendable { case unchecked, signedOut, signedIn }

  let sendsByItself: Bool
  let fetchesByItself: Bool
  private var account = Account.unchecked
  private var accountCheck = ScheduledWork()
  private var fetch = ScheduledWork()
  private var send = ScheduledWork()
  /// Manual jobs that have not started.
  private var queue: [SyncJob] = []
  private var lastID = 0

  init(sendsByItself: Bool, fetchesByItself: Bool) {
    self.sendsByItself = sendsByItself
    self.fetchesByItself = fetchesByItself
  }

  private var isAutomatic: Bool { sendsByItself || fetchesByItself }

  private mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  // Events.

  /// Handles the creation of the engine.
  mutating func begin(now: Double) {
    if isAutomatic { accountCheck.want(at: now) }
  }

  /// Handles new changes that the engine has to send.
  mutating func noteChanges(now: Double) {
    if sendsByItself { send.want(at: now) }
  }

  /// Handles a sign that the server has changes to fetch.
  mutating func noteNotification(now: Double) {
    if fetchesByItself { fetch.want(at: now) }
  }

  /// Handles a sign that another account may be signed in.
  mutating func noteAccount(now: Double) {
    // NB: no request may be sent before the check, because another user may have signed in.
    account = .unchecked
    accountCheck.settle()
    accountCheck.want(at: now)
  }

  /// Handles the request of a batch from the delegate. The batch includes all changes that have
  /// been added so far.
  mutating func beginBatch() { send.take() }

  /// Handles a caller's request for work.
  ///
  /// - Returns: the ID of the job that will do the work. It may be a job that is already queued.
  mutating func ask(_ work: SyncJob.Work, now: Double) -> Int {
    if account != .signedIn { noteAccount(now: now) }
    if let queued = queue.first(where: { $0.work.covers(work) }) { return queued.id }
    let job = SyncJob(id: newID(), work: work, reason: .manual)
    queue.append(job)
    return job.id
  }

  /// Removes a job that no caller waits for any more.
  mutating func drop(_ id: Int) { queue.removeAll { $0.id == id } }

  /// Cancels all work that has not started.
  ///
  /// - Returns: the IDs of the manual jobs that were cancelled.
  mutating func dropAll() -> [Int] {
    fetch.due = nil
    send.due = nil
    defer { queue = [] }
    return queue.map(\.id)
  }

  /// Handles the result of an account check.
  ///
  /// - Returns: the IDs of the manual jobs that cannot be done without an account.
  mutating func accountIsKnown(
    isSignedIn: Bool, hasPendingChanges: Bool, now: Double
  ) -> [Int] {
    accountCheck.settle()
    guard isSignedIn else {
      account = .signedOut
      return dropAll()
    }
    if account != .signedIn {
      account = .signedIn
      if fetchesByItself { fetch.want(at: now) }
      if sendsByItself, hasPendingChanges { send.want(at: now) }
    }
    return []
  }

  /// Handles a change of the account. The work for the previous account is no longer due.
  mutating func accountHasChanged() {
    account = .unchecked
    (fetch, send) = (ScheduledWork(), ScheduledWork())
  }

  /// Handles an account check that failed.
  ///
  /// - Returns: the IDs of the manual jobs that cannot be done.
  mutating func accountIsUnknown(_ error: CKError, now: Double, chance: Double) -> [Int] {
    if isAutomatic, error.mayPass {
      let delay = Self.delay(after: error, failures: accountCheck.failuresCount, chance: chance)
      accountCheck.postpone(to: now + delay)
    }
    defer { queue = [] }
    return queue.map(\.id)
  }

  /// Handles the end of a job.
  mutating func end(_ job: SyncJob, _ end: SyncJobEnd, now: Double, chance: Double) {
    if end.failure?.doubtsAccount == true { noteAccount(now: now) }
    switch job.work {
    case .fetch:
      // NB: the fetch is repeated, because no further notification announces the changes that the
      // job did not fetch.
      Self.reschedule(
        &fetch, end, isToRepeat: (end.failure ?? end.subscriptionFailure)?.mayPass == true,
        isAutomatic: fetchesByItself, now: now, chance: chance)
    case .send:
      Self.reschedule(
        &send, end, isToRepeat: end.failure?.isRetriedByEngine == true,
        isAutomatic: sendsByItself, now: now, chance: chance)
    }
  }

  private static func reschedule(
    _ work: inout ScheduledWork, _ end: SyncJobEnd, isToRepeat: Bool, isAutomatic: Bool,
    now: Double, chance: Double
  ) {
    let failure = end.failure ?? end.subscriptionFailure
    let isCancelled = failure?.code == .operationCancelled
    defer { work.release(isDueAgain: isCancelled && end.isAbandoned, now: now) }
    let isKeyMissing = failure?.isKeyMissing == true
    let isRepeated = isToRepeat && !isCancelled && !isKeyMissing
    guard isRepeated || (end.isFruitless && work.due != nil) else {
      // NB: a cancelled job does not show whether the server works.
      if !isCancelled { work.settle() }
      // No event reports that the key has arrived, so the engine tries again later. Other changes
      // need not wait for the key.
      if isAutomatic, isKeyMissing { work.want(at: now + delaySecondsMax) }
      return
    }
    guard isAutomatic else { return }
    var failuresCount = work.failuresCount
    if !isRepeated {
      // The delegate may have merged a conflict. After the first send that saved nothing, the
      // changes are therefore sent again at once. If the delegate adds rejected changes repeatedly,
      // the later sends are delayed.
      failuresCount -= 1
      if failuresCount < 0 { return work.postpone(to: now) }
    }
    work.postpone(to: now + delay(after: failure, failures: failuresCount, chance: chance))
  }

  // Decisions.

  /// Returns the next step. A job in the step counts as started.
  mutating func next(now: Double) -> Step {
    if let due = accountCheck.due, due <= now {
      accountCheck.due = nil
      return .checkAccount
    }
    if account == .signedIn {
      if !queue.isEmpty {
        let job = queue.removeFirst()
        begin(job)
        return .perform(job)
      }
      if let job = dueJob(now: now) { return .perform(job) }
    }
    return nextDue.map { .wait(until: $0) } ?? .rest
  }

  /// The time of the next work that the engine does by itself, in seconds on the clock. It is nil
  /// if nothing is due until an event changes the schedule.
  var nextDue: Double? {
    let due = [accountCheck.due] + (account == .signedIn ? [fetch.due, send.due] : [])
    return due.compactMap { $0 }.min()
  }

  /// Whether a user is signed in; nil if the engine does not know.
  var isSignedIn: Bool? {
    switch account {
    case .unchecked: nil
    case .signedOut: false
    case .signedIn: true
    }
  }

  private mutating func dueJob(now: Double) -> SyncJob? {
    let fetchDue = fetch.due ?? .infinity
    let sendDue = send.due ?? .infinity
    if fetchDue <= now, fetchDue <= sendDue {
      fetch.take()
      return SyncJob(id: newID(), work: .fetch(.init()), reason: .scheduled)
    }
    if sendDue <= now {
      send.take()
      return SyncJob(id: newID(), work: .send(.init()), reason: .scheduled)
    }
    return nil
  }

  /// A manual job with the scope `.all` also does the scheduled work of its kind.
  private mutating func begin(_ job: SyncJob) {
    switch job.work {
    case .fetch(let options): if options.scope == .all { fetch.take() }
    case .send(let options): if options.scope == .all { send.take() }
    }
  }

  // Back-off.

  static let firstDelaySeconds = 1.0
  /// The longest delay in seconds, unless the server requests a longer delay.
  static let delaySecondsMax = 60.0

  /// Returns the number of seconds to wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: the number of consecutive failures before this failure.
  ///   - chance: a random number from 0 to below 1. It spreads the retries of devices that failed
  ///     at the same time.
  static func delay(after error: CKError?, failures: Int, chance: Double) -> Double {
    let doubled = min(firstDelaySeconds * Double(1 << min(failures, 16)), delaySecondsMax)
    return max(doubled * (0.5 + chance / 2), error?.retryAfterSeconds ?? 0)
  }
}

extension SyncJob.Work {
  /// Whether this job also does the other job's work. Both jobs must have the same scope and, for a
  /// fetch, the same prioritized zones, because the delegate sees these options. Their operation
  /// groups may differ.
  func covers(_ other: SyncJob.Work) -> Bool {
    switch (self, other) {
    case (.fetch(let mine), .fetch(let others)):
      mine.scope == others.scope && mine.prioritizedZoneIDs == others.prioritizedZoneIDs
    case (.send(let mine), .send(let others)): mine.scope == others.scope
    case (.fetch, .send), (.send, .fetch): false
    }
  }
}
