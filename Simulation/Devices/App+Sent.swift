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
      let place = Place(record.recordID)
      say("saved \(place) as \(record.recordChangeTag ?? "-")")
      if place.isKept, let account = data.account.name {
        ledger.promise(record.marks, at: place, of: account)
      }
      guard let mine = data.records[place] else { continue }
      data.records[place]?.known = record
      if mine.marks == record.marks { data.pending[.save(place)] = nil }
    }
    for id in changes.deletedRecordIDs { data.pending[.delete(Place(id))] = nil }
    for failed in changes.failedRecordSaves { take(failed) }
    for (id, error) in changes.failedRecordDeletes.sorted(by: { Place($0.key) < Place($1.key) }) {
      failed(deleting: Place(id), error)
    }
  }

  private func take(_ failed: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave) {
    let place = Place(failed.record.recordID)
    let error = failed.error
    if error.isRepeated { return }
    // NB: the record, or its zone, was deleted in the meantime: nothing is left to save.
    guard data.records[place] != nil else { return }
    if error.leavesInDoubt { return add(.save(place)) }
    switch error.code {
    case .serverRecordChanged:
      ledger.saw("conflict")
      guard let server = error.serverRecord else {
        ledger.violated("a conflict about \(place) came without the server's record")
        return
      }
      say("conflict about \(place), the server has \(server.recordChangeTag ?? "-")")
      data.records[place]?.marks.formUnion(server.marks)
      data.records[place]?.known = server
      add(.save(place))
    case .unknownItem:
      say("\(place) is gone")
      guard place.isKept else {
        drop(place)
        return
      }
      data.records[place]?.known = nil
      add(.save(place))
    case .zoneNotFound, .userDeletedZone: loseZone(place.zone)
    case .batchRequestFailed: add(.save(place))
    default: ledger.violated("\(device.name): \(place) was refused: \(error)")
    }
  }

  private func failed(deleting place: Place, _ error: CKError) {
    if error.isRepeated { return }
    switch error.code {
    case .unknownItem, .zoneNotFound, .userDeletedZone: data.pending[.delete(place)] = nil
    case _ where error.leavesInDoubt || error.code == .batchRequestFailed:
      if data.pending[.delete(place)] != nil { add(.delete(place)) }
    default:
      ledger.violated("\(device.name): the deletion of \(place) was refused: \(error)")
    }
  }
}

extension CKError {
  /// Whether the result of the request is unknown: its answer was lost, or a proxy answered in the
  /// server's place.
  fileprivate var leavesInDoubt: Bool {
    code == .serverResponseLost
      || (code == .internalError && localizedDescription.hasPrefix("unreadable answer"))
  }

  /// Whether the engine keeps the change and retries it (semantics §23).
  fileprivate var isRepeated: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
      .operationCancelled, .requestRateLimited, .serviceUnavailable, .zoneBusy:
      true
    default: false
    }
  }
}
