import Synchronization

/// Carries out a fetch according to its plan.
extension SyncDriver {
  func fetch(
    _ options: CKSyncEngine.FetchChangesOptions, for reason: CKSyncEngine.SyncReason
  ) async -> SyncJobEnd {
    let context = CKSyncEngine.FetchChangesContext(reason: reason, options: options)
    var plan = state.with { FetchPlan(options, $0) }
    await deliver(.willFetchChanges(.init(context: context)))
    let subscriptionFailure = await subscribe()
    loop: while true {
      if let error = await reasonToStop() { plan.stop(error) }
      await askOptions(&plan, context)
      switch state.with({ plan.next($0) }) {
      case .database(let token): await fetchDatabase(since: token, &plan)
      case .zone(let zoneID, let token): await fetchZone(zoneID, since: token, &plan, context)
      case .finish: break loop
      }
    }
    await deliver(.didFetchChanges(.init(context: context)))
    return SyncJobEnd(
      stopReason: plan.stopReason, failure: plan.failure, itemFailure: plan.itemFailure,
      subscriptionFailure: subscriptionFailure)
  }

  private func askOptions(
    _ plan: inout FetchPlan, _ context: CKSyncEngine.FetchChangesContext
  ) async {
    if plan.stopReason != nil { return }
    let options = await call { delegate, engine in
      await delegate.nextFetchChangesOptions(context, syncEngine: engine)
    }
    if let options { plan.adopt(options) }
  }

  /// Ensures that a subscription announces changes to this engine. A fetch calls this method before
  /// its first request, so that later changes are announced.
  ///
  /// - Returns: the reason why the subscription could not be made now; nil if the subscription
  ///   exists, or if the engine needs none or the server supports none. The fetch continues in any
  ///   case.
  private func subscribe() async -> CKError? {
    let (isWanted, isDoubtful) = core.withLock { core in
      (
        core.schedule.fetchesByItself && !core.isSubscriptionRefused,
        core.isSubscriptionDoubtful
      )
    }
    let wanted = configuration.subscriptionID
    let known = isDoubtful ? nil : state.with { $0.subscriptionID }
    if !isWanted || (known != nil && (wanted == nil || wanted == known)) { return nil }
    core.withLock { $0.isSubscriptionDoubtful = false }
    let calls = surroundings.calls
    let answer = request { () async throws(CKError) in try await calls.subscribe(id: wanted) }
    switch await answer.result {
    case .success(let id):
      state.with { $0.setSubscriptionID(id) }
      await reportState()
      return nil
    case .failure(let error):
      core.withLock { core in
        core.isSubscriptionDoubtful = core.isSubscriptionDoubtful || isDoubtful
        core.isSubscriptionRefused = error.refusesSubscriptions
      }
      return error.refusesSubscriptions ? nil : error
    }
  }

  private func fetchDatabase(since token: String?, _ plan: inout FetchPlan) async {
    let (calls, group) = (surroundings.calls, plan.options.operationGroup)
    let answer = request { () async throws(CKError) in
      try await calls.databaseChanges(since: token, group: group)
    }
    switch await answer.result {
    case .failure(let error): state.with { plan.databaseFailed(error, &$0) }
    case .success(let page):
      let changes = state.with { plan.receive(page, $0) }
      if !changes.remade.isEmpty {
        let deletions = changes.remade.map {
          CKDatabase.DatabaseChange.Deletion(zoneID: $0, reason: .deleted)
        }
        await deliver(
          .fetchedDatabaseChanges(.init(modifications: [], deletions: deletions)))
      }
      if !changes.modifications.isEmpty || !changes.deletions.isEmpty {
        await deliver(
          .fetchedDatabaseChanges(
            .init(
              modifications: changes.modifications.map { .init(zoneID: $0) },
              deletions: changes.deletions)))
      }
      commit { plan.commit(page, changes, to: &$0) }
    }
    await reportState()
  }

  /// Changes the state after the delegate has handled a page. A released engine changes nothing,
  /// because its delegate was not called.
  private func commit(_ body: (inout SyncState) -> Void) {
    if core.withLock({ $0.isStopped }) { return }
    state.with(body)
  }

  private func fetchZone(
    _ zoneID: CKRecordZone.ID, since token: String?, _ plan: inout FetchPlan,
    _ context: CKSyncEngine.FetchChangesContext
  ) async {
    await deliver(.willFetchRecordZoneChanges(.init(zoneID: zoneID)))
    var token = token
    var answer = ask(zoneID, since: token, plan)
    var failure: CKError?
    pages: while true {
      switch await answer.result {
      case .failure(let error):
        switch state.with({ plan.zoneFailed(zoneID, error, &$0) }) {
        case .startOver:
          token = nil
          answer = ask(zoneID, since: nil, plan)
        case .ended(let error):
          failure = error
          break pages
        }
      case .success(let page):
        failure = failure ?? page.recordError
        core.withLock { $0.record.remaining[zoneID] = page.remainingCountMax }
        let following = await askAhead(zoneID, after: page, since: token, &plan, context)
        await deliver(page)
        commit { plan.commit(page, of: zoneID, to: &$0) }
        await reportState()
        guard let following else {
          // NB: if this page is not the last, either another zone comes first now, or the fetch
          // ends early.
          if page.moreComing { failure = failure ?? plan.stopReason }
          break pages
        }
        token = page.token
        answer = following
      }
    }
    core.withLock { $0.record.remaining[zoneID] = nil }
    plan.zoneEnded(zoneID, failure)
    await deliver(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: failure)))
  }

  private func ask(
    _ zoneID: CKRecordZone.ID, since token: String?, _ plan: FetchPlan
  ) -> SyncAnswer<SyncZonePage> {
    let (calls, group) = (surroundings.calls, plan.options.operationGroup)
    return request { () async throws(CKError) in
      try await calls.zoneChanges(in: zoneID, since: token, group: group)
    }
  }

  /// Requests the next page before the delegate handles this one, so that the page arrives during
  /// the delegate's work.
  ///
  /// - Returns: nil if there is no next page, if another zone comes first, or if the fetch ends
  ///   early.
  private func askAhead(
    _ zoneID: CKRecordZone.ID, after page: SyncZonePage, since token: String?,
    _ plan: inout FetchPlan, _ context: CKSyncEngine.FetchChangesContext
  ) async -> SyncAnswer<SyncZonePage>? {
    guard page.moreComing else { return nil }
    if let error = await reasonToStop() { plan.stop(error) }
    // NB: this check prevents an endless loop if a server repeats a page.
    if page.token == token { plan.stop(.badAnswer) }
    await askOptions(&plan, context)
    guard state.with({ plan.staysIn(zoneID, $0) }) else { return nil }
    return ask(zoneID, since: page.token, plan)
  }

  private func deliver(_ page: SyncZonePage) async {
    if page.records.isEmpty && page.deletions.isEmpty { return }
    await deliver(
      .fetchedRecordZoneChanges(
        .init(
          modifications: page.records.map { .init(record: $0) }, deletions: page.deletions)))
  }
}
