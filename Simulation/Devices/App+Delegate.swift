import StratusKit

extension App: CKSyncEngineDelegate {
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if !life.goesOn() { return }
    rules.begin(event)
    // NB: this event must be handled before any pause. Otherwise a user could edit the data of the
    // old account.
    if case .accountChange = event {
      take(event)
      await Loop.shared.pause()
    } else {
      await Loop.shared.pause()
      if !life.goesOn() { return }
      take(event)
    }
    // NB: an app also does other work while it handles an event, and may crash during this work.
    if household.percent(20) { try? await Loop.shared.sleep(household.seconds(0...0.3)) }
    await Loop.shared.pause()
    if life.goesOn() { rules.end() }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    if !life.goesOn() { return nil }
    rules.beginBatch()
    defer { rules.end() }
    if household.percent(10) { try? await Loop.shared.sleep(household.seconds(0...0.5)) }
    await Loop.shared.pause()
    var pending = syncEngine.state.pendingRecordZoneChanges.filter(
      context.options.scope.contains)
    if household.percent(50) { pending = Array(pending.prefix(household.number(1...4))) }
    var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
      await Loop.shared.pause()
      return self.record(id)
    }
    batch?.atomicByZone = household.percent(30)
    return batch
  }

  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    if !life.goesOn() { return context.options }
    rules.beginBatch()
    defer { rules.end() }
    await Loop.shared.pause()
    return context.options
  }

  /// Returns the record that the engine sends, with the app's marks in it.
  private func record(_ id: CKRecord.ID) -> CKRecord? {
    let key = RecordKey(id)
    guard life.goesOn(), let mine = data.records[key] else {
      engine?.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
      return nil
    }
    let record =
      mine.known?.copy() as? CKRecord ?? CKRecord(recordType: Marks.recordType, recordID: id)
    record[Marks.field] = mine.marks.sorted()
    return record
  }

  private func take(_ event: CKSyncEngine.Event) {
    switch event {
    case .stateUpdate(let update):
      updates += 1
      device.store(data, update.stateSerialization, update: updates)
    case .accountChange(let change): take(change)
    case .fetchedDatabaseChanges(let changes): take(changes)
    case .fetchedRecordZoneChanges(let changes): take(changes)
    case .sentDatabaseChanges(let changes): take(changes)
    case .sentRecordZoneChanges(let changes): take(changes)
    case .didFetchRecordZoneChanges(let fetch):
      let zone = fetch.zoneID.zoneName
      if fetch.error == nil, data.zones.contains(zone) { data.fetchedZones.insert(zone) }
    case .willFetchChanges: household.traffic.noteFetch(of: device.name)
    case .willFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges: return
    @unknown default: ledger.violated("an unknown event")
    }
  }

  /// Removes the data of an account that has signed out. Data from before the first sign-in belongs
  /// to the first user.
  private func take(_ change: CKSyncEngine.Event.AccountChange) {
    say("gets an account event: \(change.changeType)")
    switch change.changeType {
    case .signIn(let user):
      data.account = .known(user.recordName)
      for change in data.pending.keys.sorted() { add(change) }
    case .signOut: data = AppData(account: .nobody)
    case .switchAccounts(_, let user): data = AppData(account: .known(user.recordName))
    @unknown default: ledger.violated("an unknown change of the account")
    }
  }

  private func take(_ changes: CKSyncEngine.Event.FetchedDatabaseChanges) {
    for deletion in changes.deletions {
      let zone = deletion.zoneID.zoneName
      say("learns that \(zone) is deleted")
      if zone == RecordKey.keptZone {
        loseZone(zone)
      } else if data.pending[.makeZone(zone)] == nil {
        forget(zone: zone)
      } else {
        // The app will still create the zone again, but the server has lost the zone's old records.
        for (key, record) in data.records where key.zone == zone && record.known != nil {
          drop(key)
        }
      }
    }
    for modification in changes.modifications {
      let zone = modification.zoneID.zoneName
      if data.pending[.deleteZone(zone)] == nil { data.zones.insert(zone) }
    }
  }

  private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) {
    for modification in changes.modifications { hear(modification.record) }
    for deletion in changes.deletions {
      let key = RecordKey(deletion.recordID)
      say("learns that \(key) is deleted")
      if key.isKept { ledger.violated("\(key) is gone, but no device deleted it") }
      drop(key)
      data.pending[.delete(key)] = nil
      engine?.state.remove(pendingRecordZoneChanges: [.deleteRecord(key.id)])
    }
  }

  private func hear(_ record: CKRecord) {
    let key = RecordKey(record.recordID)
    say("fetches \(key) with marks \(record.marks.sorted()), tag \(record.recordChangeTag ?? "-")")
    if data.pending[.delete(key)] != nil || data.pending[.deleteZone(key.zone)] != nil {
      return
    }
    let mine = data.records[key]?.marks ?? []
    if data.pending[.save(key)] != nil {
      data.records[key] = AppRecord(marks: mine.union(record.marks), known: record)
    } else if household.plan.rewinds, key.isKept, !mine.isSubset(of: record.marks) {
      // The server was restored to a state that is older than this device's data, so the device
      // sends the record again.
      data.records[key] = AppRecord(marks: mine.union(record.marks), known: record)
      add(.save(key))
    } else {
      data.records[key] = AppRecord(marks: record.marks, known: record)
    }
  }

  func drop(_ key: RecordKey) {
    data.records[key] = nil
    data.pending[.save(key)] = nil
    engine?.state.remove(pendingRecordZoneChanges: [.saveRecord(key.id)])
  }

  /// Handles a zone that the server does not have. The permanent zone is created again, and other
  /// zones are removed.
  func loseZone(_ zone: String) {
    say("the server does not have \(zone)")
    guard zone == RecordKey.keptZone else {
      forget(zone: zone)
      return
    }
    // NB: the zone may also be missing because its creation is still pending: the batch may contain
    // a record that was written while the engine was requesting the batch.
    if !household.plan.rewinds, data.pending[.makeZone(zone)] == nil {
      ledger.violated("the zone \(zone) is gone, but no device deleted it")
    }
    data.zones.insert(zone)
    add(.makeZone(zone))
    for key in data.records.keys.sorted() where key.zone == zone {
      if key.isKept {
        data.records[key]?.known = nil
        add(.save(key))
      } else {
        drop(key)
      }
    }
  }
}
