/// Decides what an engine does next, and when: the outer of its three plans.
///
/// The schedule is pure: its methods are given the time, and chance as a number. One job runs at a
/// time. Manual jobs come before scheduled ones.
struct SyncSchedule: Sendable {
  enum Step: Sendable {
    /// Find out which account is signed in.
    case checkAccount
    case perform(SyncJob)
    /// Nothing is due before this time, in seconds on the clock.
    case wait(until: Double)
    /// Nothing is due until something happens.
    case rest
  }

  /// Scheduled work of one kind: when it is due, and how many attempts have failed in a row.
  private struct ScheduledWork: Sendable {
    var due: Double?
    var notBefore: Double?
    var failuresCount = 0
    /// Whether the job under way does the work that was due.
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

    /// A job begins that does the work.
    mutating func take() {
      if due != nil { isTaken = true }
      due = nil
    }

    /// The job has ended.
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
  /// Manual jobs that have not begun.
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

  // Occasions.

  /// The engine has been made.
  mutating func begin(now: Double) {
    if isAutomatic { accountCheck.want(at: now) }
  }

  /// The app has changes to send.
  mutating func noteChanges(now: Double) {
    if sendsByItself { send.want(at: now) }
  }

  /// The server has changes to fetch.
  mutating func noteNotification(now: Double) {
    if fetchesByItself { fetch.want(at: now) }
  }

  /// The account may have changed.
  mutating func noteAccount(now: Double) {
    // NB: until the check is done, requests might go out in the name of the wrong user.
    account = .unchecked
    accountCheck.settle()
    accountCheck.want(at: now)
  }

  /// The engine is about to ask for a batch, which has all changes that were added before.
  mutating func beginBatch() { send.take() }

  /// A caller wants something done now.
  ///
  /// - Returns: the job that will do it, possibly one that is queued already.
  mutating func ask(_ work: SyncJob.Work, now: Double) -> Int {
    if account != .signedIn { noteAccount(now: now) }
    if let queued = queue.first(where: { $0.work.covers(work) }) { return queued.id }
    let job = SyncJob(id: newID(), work: work, reason: .manual)
    queue.append(job)
    return job.id
  }

  /// No caller waits for a job any more.
  mutating func drop(_ id: Int) { queue.removeAll { $0.id == id } }

  /// All work that has not begun is cancelled.
  ///
  /// - Returns: the manual jobs among it.
  mutating func dropAll() -> [Int] {
    fetch.due = nil
    send.due = nil
    defer { queue = [] }
    return queue.map(\.id)
  }

  /// The engine has found out whether an account is signed in.
  ///
  /// - Returns: manual jobs that cannot be done without an account.
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

  /// Another account is signed in, so the work for the previous one is not due any more.
  mutating func accountHasChanged() {
    account = .unchecked
    (fetch, send) = (ScheduledWork(), ScheduledWork())
  }

  /// The engine could not find out whether an account is signed in.
  ///
  /// - Returns: manual jobs that cannot be done.
  mutating func accountIsUnknown(_ error: CKError, now: Double, chance: Double) -> [Int] {
    if isAutomatic, error.mayPass {
      let delay = Self.delay(after: error, failures: accountCheck.failuresCount, chance: chance)
      accountCheck.postpone(to: now + delay)
    }
    defer { queue = [] }
    return queue.map(\.id)
  }

  /// A job has ended.
  mutating func end(_ job: SyncJob, _ end: SyncJobEnd, now: Double, chance: Double) {
    if end.failure?.doubtsAccount == true { noteAccount(now: now) }
    switch job.work {
    case .fetch:
      // NB: no further notification announces the changes that it did not fetch.
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
      // NB: a cancelled job says nothing about the server.
      if !isCancelled { work.settle() }
      // No event says when the key has arrived. Other changes need not wait for it.
      if isAutomatic, isKeyMissing { work.want(at: now + delaySecondsMax) }
      return
    }
    guard isAutomatic else { return }
    var failuresCount = work.failuresCount
    if !isRepeated {
      // The first time nothing got through, the delegate may have merged a conflict: that is sent
      // at once. A delegate that adds again and again what is refused has to wait.
      failuresCount -= 1
      if failuresCount < 0 { return work.postpone(to: now) }
    }
    work.postpone(to: now + delay(after: failure, failures: failuresCount, chance: chance))
  }

  // Decisions.

  /// The next step; a job that it names has begun.
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
    let due = [accountCheck.due] + (account == .signedIn ? [fetch.due, send.due] : [])
    return due.compactMap { $0 }.min().map { .wait(until: $0) } ?? .rest
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

  /// A manual job of everything does the scheduled work, too.
  private mutating func begin(_ job: SyncJob) {
    switch job.work {
    case .fetch(let options): if options.scope == .all { fetch.take() }
    case .send(let options): if options.scope == .all { send.take() }
    }
  }

  // Back-off.

  static let firstDelaySeconds = 1.0
  /// The longest wait, unless the server asks for more.
  static let delaySecondsMax = 60.0

  /// Seconds to wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: how many failures in a row came before it.
  ///   - chance: from 0 up to 1; spreads devices that failed together.
  static func delay(after error: CKError?, failures: Int, chance: Double) -> Double {
    let doubled = min(firstDelaySeconds * Double(1 << min(failures, 16)), delaySecondsMax)
    return max(doubled * (0.5 + chance / 2), error?.retryAfterSeconds ?? 0)
  }
}

extension SyncJob.Work {
  /// Whether this job does the other one, too, with the same options as far as the delegate sees.
  func covers(_ other: SyncJob.Work) -> Bool {
    switch (self, other) {
    case (.fetch(let mine), .fetch(let others)):
      mine.scope == others.scope && mine.prioritizedZoneIDs == others.prioritizedZoneIDs
    case (.send(let mine), .send(let others)): mine.scope == others.scope
    case (.fetch, .send), (.send, .fetch): false
    }
  }
}
