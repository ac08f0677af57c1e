extension SyncRecordsOutcome {
  /// Removes the changes of zones whose request was too large for the server, and returns them in
  /// halves to be sent again.
  ///
  /// Choice: Apple's documentation does not limit the work of a request. An app therefore cannot
  /// know that a batch within the documented limits is too large. An atomic batch is not split,
  /// because the changes of each of its zones must succeed or fail together.
  mutating func takeHalves(
    of batch: CKSyncEngine.RecordZoneChangeBatch
  ) -> [CKSyncEngine.RecordZoneChangeBatch] {
    if batch.atomicByZone { return [] }
    let errors =
      failedSaves.map { (zoneID: $0.record.recordID.zoneID, error: $0.error) }
      + failedDeletes.map { (zoneID: $0.recordID.zoneID, error: $0.error) }
    let failedByZone = Dictionary(grouping: errors, by: \.zoneID)
    var halves: [CKSyncEngine.RecordZoneChangeBatch] = []
    var seen: Set<CKRecordZone.ID> = []
    // NB: zones are taken in the batch's order, so that a simulation with the same random numbers
    // gives the same result.
    for zoneID in errors.map(\.zoneID) where seen.insert(zoneID).inserted {
      let errors = failedByZone[zoneID] ?? []
      let saves = batch.recordsToSave.filter { $0.recordID.zoneID == zoneID }
      let deletes = batch.recordIDsToDelete.filter { $0.zoneID == zoneID }
      // NB: a single record that is too large would fail again, so it is not sent again.
      guard errors.count > 1, errors.count == saves.count + deletes.count,
        errors.allSatisfy({ $0.error.code == .limitExceeded })
      else { continue }
      failedSaves.removeAll { $0.record.recordID.zoneID == zoneID }
      failedDeletes.removeAll { $0.recordID.zoneID == zoneID }
      let middle = (saves.count + deletes.count + 1) / 2
      let deletesFirst = max(0, middle - saves.count)
      halves += [
        CKSyncEngine.RecordZoneChangeBatch(
          recordsToSave: Array(saves.prefix(middle)),
          recordIDsToDelete: Array(deletes.prefix(deletesFirst))),
        CKSyncEngine.RecordZoneChangeBatch(
          recordsToSave: Array(saves.dropFirst(middle)),
          recordIDsToDelete: Array(deletes.dropFirst(deletesFirst))),
      ]
    }
    return halves
  }

  mutating func add(_ more: SyncRecordsOutcome) {
    saved += more.saved
    failedSaves += more.failedSaves
    deleted += more.deleted
    failedDeletes += more.failedDeletes
  }
}
