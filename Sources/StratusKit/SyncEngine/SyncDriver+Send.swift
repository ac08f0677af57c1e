import Synchronization

/// Carries out a send according to its plan.
extension SyncDriver {
  func send(
    _ options: CKSyncEngine.SendChangesOptions, for reason: CKSyncEngine.SyncReason
  ) async -> SyncJobEnd {
    let context = CKSyncEngine.SendChangesContext(reason: reason, options: options)
    var plan = SendPlan(options)
    await deliver(.willSendChanges(.init(context: context)))
    loop: while true {
      if let error = await reasonToStop() { plan.stop(error) }
      switch state.with({ plan.next($0) }) {
      case .zones(let saving, let deleting): await sendZones(saving, deleting, &plan)
      case .batch: await sendBatch(&plan, context)
      case .finish: break loop
      }
      await reportState()
    }
    await deliver(.didSendChanges(.init(context: context)))
    if plan.hasHeldBack {
      let now = now
      core.withLock { $0.schedule.noteChanges(now: now) }
    }
    return plan.end
  }

  private func sendZones(
    _ saving: [CKRecordZone], _ deleting: [CKRecordZone.ID], _ plan: inout SendPlan
  ) async {
    let stamp = state.with { $0.beginBatch() }
    let (calls, group) = (surroundings.calls, plan.options.operationGroup)
    let answer = request { () async throws(CKError) in
      try await calls.modifyZones(saving: saving, deleting: deleting, group: group)
    }
    var outcome = SyncZonesOutcome()
    switch await answer.result {
    case .success(let given): outcome = given
    case .failure(let error):
      outcome.failedSaves = saving.map { ($0, error) }
      outcome.failedDeletes = deleting.map { ($0, error) }
    }
    let settled = plan.settled(outcome, before: state.with { $0.beginBatch() })
    let (saved, deleted, incarnations) = (outcome.saved, outcome.deleted, outcome.incarnations)
    await deliver(.sentDatabaseChanges(.init(outcome))) { state in
      state.settle(settled, batch: stamp)
      // NB: another device may delete the zone before this device fetches it. The engine can report
      // the deletion only if it knows the zone. So a saved zone is marked as unfetched.
      for zone in saved where state.zoneTokens[zone.zoneID] == nil {
        state.markUnfetched(zone.zoneID)
      }
      // NB: the stored incarnation of a known zone is not overwritten here. If a new zone with the
      // same name has replaced the known zone, the next fetch detects this by the old incarnation,
      // and reports it.
      for zone in saved where state.incarnations[zone.zoneID] == nil {
        state.setIncarnation(incarnations[zone.zoneID], of: zone.zoneID)
      }
      for zoneID in deleted { state.forget(zoneID) }
    }
  }

  private func sendBatch(
    _ plan: inout SendPlan, _ context: CKSyncEngine.SendChangesContext
  ) async {
    // NB: after a failure, the batches do not include changes that were added later, so another
    // send stays due.
    if plan.options.scope == .all, !plan.hasItemFailures {
      core.withLock { $0.schedule.beginBatch() }
    }
    let stamp = state.with { $0.beginBatch() }
    let answer = await call { delegate, engine in
      await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
    }
    let handedOver = state.with { $0.beginBatch() }
    guard let offered = answer ?? nil else { return plan.noBatch() }
    let batch = state.with { plan.admit(offered, $0) }
    if batch.isEmpty { return plan.noBatch() }
    let outcome = await send(batch, plan.options.operationGroup)
    let settled = plan.settled(outcome, before: state.with { $0.beginBatch() })
    let failed = plan.stopReason == nil ? outcome.failed : []
    await deliver(.sentRecordZoneChanges(.init(outcome))) { state in
      state.settle(settled, batch: stamp, handedOver: handedOver)
      // NB: the failed changes move to the end. Otherwise, the changes that stay pending would fill
      // the next batches.
      state.putLast(failed)
    }
  }

  /// Sends a batch. If the server rejects the batch as too large, it is sent in smaller parts.
  private func send(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ group: CKOperationGroup
  ) async -> SyncRecordsOutcome {
    var outcome = await sendWhole(batch, group)
    for half in outcome.takeHalves(of: batch) { outcome.add(await send(half, group)) }
    return outcome
  }

  private func sendWhole(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ group: CKOperationGroup
  ) async -> SyncRecordsOutcome {
    let calls = surroundings.calls
    let answer = request { () async throws(CKError) in
      await calls.modifyRecords(
        saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
        isAtomic: batch.atomicByZone, group: group)
    }
    switch await answer.result {
    case .success(let outcome): return outcome
    case .failure(let error): return SyncRecordsOutcome(batch, failing: error)
    }
  }
}

extension SyncRecordsOutcome {
  /// The changes that were not carried out.
  var failed: [CKSyncEngine.PendingRecordZoneChange] {
    failedSaves.map { .saveRecord($0.record.recordID) }
      + failedDeletes.map { .deleteRecord($0.recordID) }
  }

  /// The outcome of a request that failed as a whole.
  init(_ batch: CKSyncEngine.RecordZoneChangeBatch, failing error: CKError) {
    failedSaves = batch.recordsToSave.map { ($0, error) }
    failedDeletes = batch.recordIDsToDelete.map { ($0, error) }
  }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
  init(_ outcome: SyncZonesOutcome) {
    savedZones = outcome.saved
    failedZoneSaves = outcome.failedSaves.map { FailedZoneSave(zone: $0.zone, error: $0.error) }
    deletedZoneIDs = outcome.deleted
    failedZoneDeletes = Dictionary(
      outcome.failedDeletes.map { ($0.zoneID, $0.error) }, uniquingKeysWith: { first, _ in first })
  }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
  init(_ outcome: SyncRecordsOutcome) {
    savedRecords = outcome.saved
    failedRecordSaves = outcome.failedSaves.map {
      FailedRecordSave(record: $0.record, error: $0.error)
    }
    deletedRecordIDs = outcome.deleted
    failedRecordDeletes = Dictionary(
      outcome.failedDeletes.map { ($0.recordID, $0.error) },
      uniquingKeysWith: { first, _ in first })
  }
}
