import StratusTransport
import StratusWire
import Synchronization

/// What sets an engine to work.
extension SyncDriver {
  /// The app has changed the state.
  func stateHasChanged(isToSend: Bool) {
    if isToSend { wish { $0.noteChanges(now: $1) } }
    wake()
  }

  private func wish(_ body: (inout SyncSchedule, _ now: Double) -> Void) {
    let now = now
    core.withLock { body(&$0.schedule, now) }
  }

  func listen(to feed: any NotificationFeed) -> Task<Void, Never> {
    surroundings.spawn { [weak self] in
      for await payload in feed.notifications() {
        guard let self else { return }
        note(payload)
      }
    }
  }

  /// What has happened until the stream was opened nobody tells.
  func listen(toOpeningsOf feed: any NotificationFeed) -> Task<Void, Never> {
    // NB: asked for at once, so that the first is not missed.
    let openings = feed.openings()
    return surroundings.spawn { [weak self] in
      for await _ in openings {
        guard let self else { return }
        core.withLock { $0.isSubscriptionDoubtful = true }
        wish { $0.noteNotification(now: $1) }
        wake()
      }
    }
  }

  func listen(to feed: any AccountFeed) -> Task<Void, Never> {
    surroundings.spawn { [weak self] in
      for await _ in feed.changes() {
        guard let self else { return }
        core.withLock { $0.isAccountDoubtful = true }
        wish { $0.noteAccount(now: $1) }
        wake()
      }
    }
  }

  /// Takes in a notification: it is a hint to fetch, no more.
  private func note(_ payload: NotificationPayload) {
    let scope: DatabaseScope
    var zoneID: ZoneID?
    switch payload.event {
    case .query(let event): scope = event.scope
    case .zone(_, let changed, let database): (scope, zoneID) = (database, changed)
    case .database(_, let database): scope = database
    case .plain: return
    }
    guard scope == configuration.database.databaseScope.wire else { return }
    if let zoneID {
      state.with { state in
        guard case .known(let user) = state.user else { return }
        let naming = UserNaming(currentUserRecordName: user)
        state.markUnfetched(CKRecordZone.ID(wire: zoneID, naming: naming))
      }
    }
    wish { $0.noteNotification(now: $1) }
    wake()
  }

  // By hand.

  /// Does something now, and returns when it is done.
  func perform(_ work: SyncJob.Work) async throws(CKError) {
    let call = DelegateCall.goingOn(by: self)
    if call?.isOfThisTask == true { throw CKError.awaitedInDelegate }
    guard configuration.database.databaseScope != .public else {
      throw CKError(
        .badDatabase, description: "a sync engine keeps a private or the shared database in step")
    }
    let id = core.withLock { $0.newID() }
    let watchman = watch(over: id, from: call)
    defer { watchman.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { enlist(id, work, $0) }
    } onCancel: {
      dismiss(id, CKError(.operationCancelled))
    }
    try result.get()
  }

  private func enlist(
    _ id: Int, _ work: SyncJob.Work,
    _ continuation: CheckedContinuation<Result<Void, CKError>, Never>
  ) {
    let now = now
    let isRefused = core.withLock { core in
      // NB: asked under the lock that `dismiss` takes, so that no cancellation goes unseen.
      if core.isStopped || Task.isCancelled { return true }
      let jobID = core.schedule.ask(work, now: now)
      core.waiters.append(
        Waiter(id: id, jobID: jobID, began: now, continuation: continuation))
      return false
    }
    if isRefused { return continuation.resume(returning: .failure(CKError(.operationCancelled))) }
    wake()
  }

  /// Sends a waiter away, and calls off what nobody else waits for.
  func dismiss(_ id: Int, _ error: CKError) {
    let (waiter, requests) = core.withLock { core -> (Waiter?, [Task<Void, Never>]) in
      guard let place = core.waiters.firstIndex(where: { $0.id == id }) else { return (nil, []) }
      let waiter = core.waiters.remove(at: place)
      if core.waiters.contains(where: { $0.jobID == waiter.jobID }) { return (waiter, []) }
      core.schedule.drop(waiter.jobID)
      guard core.job?.id == waiter.jobID else { return (waiter, []) }
      if !core.isCalledOff { core.isAbandoned = true }
      core.isCalledOff = true
      return (waiter, core.requests.map(\.task))
    }
    for request in requests { request.cancel() }
    waiter?.resume(error)
  }

  /// Calls off what is being done and what waits.
  func cancelOperations() async {
    let (waiters, requests, isBusy) = core.withLock { core in
      let waiters = core.takeWaiters(for: core.schedule.dropAll())
      if core.job != nil { core.isCalledOff = true }
      core.isAbandoned = false
      return (waiters, core.requests.map(\.task), core.job != nil)
    }
    for request in requests { request.cancel() }
    for waiter in waiters { waiter.resume(CKError(.operationCancelled)) }
    if !isBusy || DelegateCall.goingOn(by: self) != nil { return }
    let (id, now) = (core.withLock { $0.newID() }, now)
    let watchman = watch(over: id, from: nil)
    defer { watchman.cancel() }
    await withCheckedContinuation { continuation in
      let isOver = core.withLock { core in
        if core.isStopped || core.job == nil || !core.isCalledOff { return true }
        core.onlookers.append(Onlooker(id: id, began: now, continuation: continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
