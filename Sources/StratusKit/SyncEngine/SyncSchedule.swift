/// Decides what an engine does next, and when: the outer of its three plans.
///
/// Pure: what happens is told with the time, and chance is given as a number. One thing is done at
/// a time; what is asked for by hand comes before what is due by itself.
struct SyncSchedule: Sendable {
  enum Step: Sendable {
    /// Find out who is signed in.
    case checkAccount
    case perform(SyncJob)
    /// Nothing is due before so many seconds on the clock.
    case wait(until: Double)
    case rest
  }

  /// Something that is due, and how often it failed in a row.
  private struct Errand: Sendable {
    var due: Double?
    var notBefore: Double?
    var failuresCount = 0
    /// Whether what is being done took what was due.
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

    /// It is about to be done.
    mutating func take() {
      if due != nil { isTaken = true }
      due = nil
    }

    /// It has been done, or called off.
    mutating func release(isDueAgain: Bool, now: Double) {
      if isDueAgain, isTaken { want(at: now) }
      isTaken = false
    }
  }

  private enum Account: Sendable { case unchecked, nobody, someone }

  let sendsByItself: Bool
  let fetchesByItself: Bool
  private var account = Account.unchecked
  private var accountCheck = Errand()
  private var fetch = Errand()
  private var send = Errand()
  private var asked: [SyncJob] = []
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

  // What happens.

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
    // NB: nothing is asked of the server in the name of somebody who may have left.
    account = .unchecked
    accountCheck.settle()
    accountCheck.want(at: now)
  }

  /// A batch is about to be asked for: it has everything that was added before.
  mutating func beginBatch() { send.take() }

  /// Somebody wants something done now.
  ///
  /// - Returns: the job that will do it, perhaps one that waits already.
  mutating func ask(_ work: SyncJob.Work, now: Double) -> Int {
    if account != .someone { noteAccount(now: now) }
    if let waiting = asked.first(where: { $0.work.covers(work) }) { return waiting.id }
    let job = SyncJob(id: newID(), work: work, reason: .manual)
    asked.append(job)
    return job.id
  }

  /// Nobody waits for a job any more.
  mutating func drop(_ id: Int) { asked.removeAll { $0.id == id } }

  /// Everything that waits is called off.
  ///
  /// - Returns: the jobs that somebody waits for.
  mutating func dropAll() -> [Int] {
    fetch.due = nil
    send.due = nil
    defer { asked = [] }
    return asked.map(\.id)
  }

  /// It has been found out who is signed in.
  ///
  /// - Returns: jobs that cannot be done, for lack of anybody.
  mutating func accountIsKnown(
    isSomeone: Bool, hasPendingChanges: Bool, now: Double
  ) -> [Int] {
    accountCheck.settle()
    guard isSomeone else {
      account = .nobody
      return dropAll()
    }
    if account != .someone {
      account = .someone
      if fetchesByItself { fetch.want(at: now) }
      if sendsByItself, hasPendingChanges { send.want(at: now) }
    }
    return []
  }

  /// Another user is signed in: nothing of the last one's is due any more.
  mutating func accountHasChanged() {
    account = .unchecked
    (fetch, send) = (Errand(), Errand())
  }

  /// It could not be found out who is signed in.
  ///
  /// - Returns: jobs that cannot be done.
  mutating func accountIsUnknown(_ error: CKError, now: Double, chance: Double) -> [Int] {
    if isAutomatic, error.mayPass {
      let delay = Self.delay(after: error, failures: accountCheck.failuresCount, chance: chance)
      accountCheck.postpone(to: now + delay)
    }
    defer { asked = [] }
    return asked.map(\.id)
  }

  /// A job has ended.
  mutating func end(_ job: SyncJob, _ end: SyncJobEnd, now: Double, chance: Double) {
    if end.failure?.doubtsAccount == true { noteAccount(now: now) }
    switch job.work {
    case .fetch:
      // NB: what it was to fetch nobody tells again.
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
    _ errand: inout Errand, _ end: SyncJobEnd, isToRepeat: Bool, isAutomatic: Bool, now: Double,
    chance: Double
  ) {
    let failure = end.failure ?? end.subscriptionFailure
    let isCalledOff = failure?.code == .operationCancelled
    defer { errand.release(isDueAgain: isCalledOff && end.isAbandoned, now: now) }
    let isKeyMissing = failure?.isKeyMissing == true
    guard
      (isToRepeat && !isCalledOff && !isKeyMissing) || (end.isFruitless && errand.due != nil)
    else {
      // NB: what was called off says nothing of the server.
      if !isCalledOff { errand.settle() }
      // Nobody says when the key has come; what else is added need not wait for it.
      if isAutomatic, isKeyMissing { errand.want(at: now + delaySecondsMax) }
      return
    }
    guard isAutomatic else { return }
    let delay = delay(after: failure, failures: errand.failuresCount, chance: chance)
    errand.postpone(to: now + delay)
  }

  // What to do.

  /// The next step; a job that it names has begun.
  mutating func next(now: Double) -> Step {
    if let due = accountCheck.due, due <= now {
      accountCheck.due = nil
      return .checkAccount
    }
    if account == .someone {
      if !asked.isEmpty {
        let job = asked.removeFirst()
        begin(job)
        return .perform(job)
      }
      if let job = dueJob(now: now) { return .perform(job) }
    }
    let due = [accountCheck.due] + (account == .someone ? [fetch.due, send.due] : [])
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

  /// What is done by hand need not be done by itself soon after.
  private mutating func begin(_ job: SyncJob) {
    switch job.work {
    case .fetch(let options): if options.scope == .all { fetch.take() }
    case .send(let options): if options.scope == .all { send.take() }
    }
  }

  // Back-off.

  static let firstDelaySeconds = 1.0
  /// No wait of our own is longer; the server may ask for more.
  static let delaySecondsMax = 60.0

  /// Seconds to wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: those in a row before it.
  ///   - chance: from 0 up to 1, spreads devices that failed together.
  static func delay(after error: CKError?, failures: Int, chance: Double) -> Double {
    let doubled = min(firstDelaySeconds * Double(1 << min(failures, 16)), delaySecondsMax)
    return max(doubled * (0.5 + chance / 2), error?.retryAfterSeconds ?? 0)
  }
}

extension SyncJob.Work {
  /// Whether doing this does the other, too, with the same options for all the delegate sees.
  func covers(_ other: SyncJob.Work) -> Bool {
    switch (self, other) {
    case (.fetch(let mine), .fetch(let others)):
      mine.scope == others.scope && mine.prioritizedZoneIDs == others.prioritizedZoneIDs
    case (.send(let mine), .send(let others)): mine.scope == others.scope
    case (.fetch, .send), (.send, .fetch): false
    }
  }
}
