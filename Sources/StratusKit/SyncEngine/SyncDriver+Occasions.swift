import StratusTransport
import StratusWire
import Synchronization

/// The events that start an engine's work.
extension SyncDriver {
  /// The app has changed the state.
  func stateHasChanged(isToSend: Bool) {
    if isToSend { schedule { $0.noteChanges(now: $1) } }
    wake()
  }

  private func schedule(_ body: (inout SyncSchedule, _ now: Double) -> Void) {
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

  /// Schedules a fetch each time the stream of notifications is opened after notifications may have
  /// been missed.
  func listen(toOpeningsOf feed: any NotificationFeed) -> Task<Void, Never> {
    // NB: this call is outside of the task, so that the first opening is not missed.
    let openings = feed.openings()
    return surroundings.spawn { [weak self] in
      for await _ in openings {
        guard let self else { return }
        core.withLock { $0.isSubscriptionDoubtful = true }
        schedule { $0.noteNotification(now: $1) }
        wake()
      }
    }
  }

  func listen(to feed: any AccountFeed) -> Task<Void, Never> {
    surroundings.spawn { [weak self] in
      for await _ in feed.changes() {
        guard let self else { return }
        core.withLock { $0.isAccountDoubtful = true }
        schedule { $0.noteAccount(now: $1) }
        wake()
      }
    }
  }

  /// Schedules a fetch after a notification of the engine's database. A notification of a zone
  /// subscription also marks the zone as unfetched.
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
    schedule { $0.noteNotification(now: $1) }
    wake()
  }

  // Manual calls.

  /// Runs a job now, and returns when it has ended.
  func perform(_ work: SyncJob.Work) async throws(CKError) {
    if DelegateCall.goingOn(by: self)?.isOfThisTask == true { throw CKError.awaitedInDelegate }
    guard configuration.database.databaseScope != .public else {
      throw CKError(
        .badDatabase, description: "a sync engine cannot synchronize the public database")
    }
    let id = core.withLock { $0.newID() }
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
      // NB: the cancellation is read under the lock that `dismiss` takes. Otherwise the
      // cancellation could be missed.
      if core.isStopped || Task.isCancelled { return true }
      let jobID = core.schedule.ask(work, now: now)
      core.waiters.append(Waiter(id: id, jobID: jobID, continuation: continuation))
      return false
    }
    if isRefused { return continuation.resume(returning: .failure(CKError(.operationCancelled))) }
    startTimeout(of: id)
    wake()
  }

  /// Ends a caller's wait with an error, and cancels the job if no other caller waits for it.
  func dismiss(_ id: Int, _ error: CKError) {
    let (waiter, requests) = core.withLock { core -> (Waiter?, [Task<Void, Never>]) in
      guard let index = core.waiters.firstIndex(where: { $0.id == id }) else { return (nil, []) }
      let waiter = core.waiters.remove(at: index)
      if core.waiters.contains(where: { $0.jobID == waiter.jobID }) { return (waiter, []) }
      core.schedule.drop(waiter.jobID)
      guard core.job?.id == waiter.jobID else { return (waiter, []) }
      if !core.isCancelled { core.isAbandoned = true }
      core.isCancelled = true
      return (waiter, core.requests.map(\.task))
    }
    for request in requests { request.cancel() }
    waiter?.resume(error)
  }

  /// Cancels the running job and all queued jobs.
  func cancelOperations() async {
    let (waiters, requests, isBusy) = core.withLock { core in
      let waiters = core.takeWaiters(for: core.schedule.dropAll())
      if core.job != nil { core.isCancelled = true }
      core.isAbandoned = false
      return (waiters, core.requests.map(\.task), core.job != nil)
    }
    for request in requests { request.cancel() }
    for waiter in waiters { waiter.resume(CKError(.operationCancelled)) }
    if !isBusy || DelegateCall.goingOn(by: self) != nil { return }
    let id = core.withLock { $0.newID() }
    _ = await withCheckedContinuation { continuation in
      let isOver = core.withLock { core in
        guard let job = core.job, !core.isStopped, core.isCancelled else { return true }
        core.waiters.append(
          Waiter(id: id, jobID: job.id, isObserver: true, continuation: continuation))
        return false
      }
      if isOver { return continuation.resume(returning: .success(())) }
      startTimeout(of: id)
    }
  }
}
