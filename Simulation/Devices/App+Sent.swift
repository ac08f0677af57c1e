import StratusKit

extension App {
  func take(_ changes: CKSyncEngine.Event.SentDatabaseChanges) {
    for zone in changes.savedZones { data.pending[.makeZone(zone.zoneID.zoneName)] = nil }
    for id in changes.deletedZoneIDs { data.pending[.deleteZone(id.zoneName)] = nil }
    for failed in changes.failedZoneSaves {
      let change = AppData.Change.makeZone(failed.zone.zoneID.zoneName)
      if failed.error.isRepeated { continue }
      if failed.error.leavesInDoubt {
        if data.pending[change] != nil { add(change) }
        continue
      }
      ledger.violated("\(device.name): \(change) was refused: \(failed.error)")
    }
    for (id, error) in changes.failedZoneDeletes {
      if error.isRepeated { continue }
      let change = AppData.Change.deleteZone(id.zoneName)
      if error.leavesInDoubt {
        if data.pending[change] != nil { add(change) }
        continue
      }
      data.pending[change] = nil
      if error.code != .zoneNotFound && error.code != .userDeletedZone {
        ledger.violated("\(device.name): the deletion of \(id.zoneName) was refused: \(error)")
      }
    }
  }

  func take(_ changes: CKSyncEngine.Event.SentRecordZoneChanges) {
    for record in changes.savedRecords {
      let key = RecordKey(record.recordID)
      say("saved \(key) as \(record.recordChangeTag ?? "-")")
      if key.isKept, let account = data.account.name {
        ledger.promise(record.marks, at: key, of: account)
      }
      guard let mine = data.records[key] else { continue }
      data.records[key]?.known = record
      if mine.marks == record.marks { data.pending[.save(key)] = nil }
    }
    for id in changes.deletedRecordIDs { data.pending[.delete(RecordKey(id))] = nil }
    for failed in changes.failedRecordSaves { take(failed) }
    for (id, error) in changes.failedRecordDeletes.sorted(by: {
      RecordKey($0.key) < RecordKey($1.key)
    }) {
      failed(deleting: RecordKey(id), error)
    }
  }

  private func take(_ failed: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave) {
    let key = RecordKey(failed.record.recordID)
    let error = failed.error
    if error.isRepeated { return }
    // NB: if the record or its zone was deleted after the save was sent, nothing is left to save.
    guard data.records[key] != nil else { return }
    if error.leavesInDoubt { return add(.save(key)) }
    switch error.code {
    case .serverRecordChanged:
      ledger.saw("conflict")
      guard let server = error.serverRecord else {
        ledger.violated("the conflict error of \(key) has no server record")
        return
      }
      say("conflict about \(key), the server has \(server.recordChangeTag ?? "-")")
      data.records[key]?.marks.formUnion(server.marks)
      data.records[key]?.known = server
      add(.save(key))
    case .unknownItem:
      say("the server does not have \(key)")
      guard key.isKept else {
        drop(key)
        return
      }
      data.records[key]?.known = nil
      add(.save(key))
    case .zoneNotFound, .userDeletedZone: loseZone(key.zone)
    case .batchRequestFailed: add(.save(key))
    default: ledger.violated("\(device.name): \(key) was refused: \(error)")
    }
  }

  private func failed(deleting key: RecordKey, _ error: CKError) {
    if error.isRepeated { return }
    switch error.code {
    case .unknownItem, .zoneNotFound, .userDeletedZone: data.pending[.delete(key)] = nil
    case _ where error.leavesInDoubt || error.code == .batchRequestFailed:
      if data.pending[.delete(key)] != nil { add(.delete(key)) }
    default:
      ledger.violated("\(device.name): the deletion of \(key) was refused: \(error)")
    }
  }
}

extension CKError {
  /// Whether the result of the request is unknown, because its answer was lost or because a proxy
  /// answered instead of the server.
  fileprivate var leavesInDoubt: Bool {
    code == .serverResponseLost
      || (code == .internalError && localizedDescription.hasPrefix("unreadable answer"))
  }

  /// Whether the engine keeps the change and sends it again by itself.
  fileprivate var isRepeated: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
      .operationCancelled, .requestRateLimited, .serviceUnavailable, .zoneBusy:
      true
    default: false
    }
  }
}
