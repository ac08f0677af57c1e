import CloudKit

/// The changes in the database since a change token.
struct DatabaseNews: Sendable {
  enum Fate: Sendable { case changed, deleted, reset }

  /// The last event of the notes' zone, or nil if the zone has not changed.
  var fate: Fate?
  var token: CKServerChangeToken?
}

/// A page of the changes in the zone since a change token.
struct ZonePage: Sendable {
  var records: [CKRecord] = []
  /// The names of deleted notes.
  var deleted: [String] = []
  var token: CKServerChangeToken?
  var moreComing = false
}

/// The result for each note that was sent.
struct SendOutcome: Sendable {
  var saved: [String: CKRecord] = [:]
  var deleted: [String] = []
  var failures: [String: CKError] = [:]
}

extension NoteZone {
  func databaseNews(since token: CKServerChangeToken?) async throws -> DatabaseNews {
    try await run { finish in
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
      var news = DatabaseNews()
      let note = { (zoneID: CKRecordZone.ID, fate: DatabaseNews.Fate) in
        if zoneID == Note.zoneID { news.fate = fate }
      }
      operation.recordZoneWithIDChangedBlock = { note($0, .changed) }
      operation.recordZoneWithIDWasDeletedBlock = { note($0, .deleted) }
      operation.recordZoneWithIDWasPurgedBlock = { note($0, .deleted) }
      operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { note($0, .reset) }
      operation.fetchDatabaseChangesResultBlock = { result in
        finish(
          result.map {
            news.token = $0.serverChangeToken
            return news
          })
      }
      return operation
    }
  }

  /// Fetches one page of changes. The app stores the notes and the token of the page before it
  /// fetches the next page.
  func page(since token: CKServerChangeToken?) async throws -> ZonePage {
    try await run { finish in
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [Note.zoneID],
        configurationsByRecordZoneID: [
          Note.zoneID: .init(previousServerChangeToken: token)
        ])
      operation.fetchAllChanges = false
      var page = ZonePage()
      var outcome = Result<Void, any Error>.success(())
      operation.recordWasChangedBlock = { _, result in
        switch result {
        case .success(let record): page.records.append(record)
        // NB: the app must not store the token without this note, because the note would never be
        // fetched again.
        case .failure(let error): outcome = .failure(error)
        }
      }
      operation.recordWithIDWasDeletedBlock = { recordID, recordType in
        if recordType == Note.recordType { page.deleted.append(recordID.recordName) }
      }
      operation.recordZoneFetchResultBlock = { _, result in
        switch result {
        case .success(let end): (page.token, page.moreComing) = (end.0, end.moreComing)
        case .failure(let error): outcome = .failure(error)
        }
      }
      operation.fetchRecordZoneChangesResultBlock = { result in
        finish(result.flatMap { outcome }.map { page })
      }
      return operation
    }
  }

  /// Saves and deletes notes. The changes are not atomic, so that a refused note does not delay the
  /// others.
  func modify(saving records: [CKRecord], deleting names: [String]) async throws -> SendOutcome {
    try await run { finish in
      let operation = CKModifyRecordsOperation(
        recordsToSave: records, recordIDsToDelete: names.map(Note.recordID))
      operation.savePolicy = .ifServerRecordUnchanged
      operation.isAtomic = false
      var outcome = SendOutcome()
      operation.perRecordSaveBlock = { recordID, result in
        switch result {
        case .success(let record): outcome.saved[recordID.recordName] = record
        case .failure(let error): outcome.note(error, recordID)
        }
      }
      operation.perRecordDeleteBlock = { recordID, result in
        switch result {
        case .success: outcome.deleted.append(recordID.recordName)
        case .failure(let error): outcome.note(error, recordID)
        }
      }
      operation.modifyRecordsResultBlock = { result in finish(result.map { outcome }) }
      return operation
    }
  }
}

extension SendOutcome {
  fileprivate mutating func note(_ error: any Error, _ recordID: CKRecord.ID) {
    failures[recordID.recordName] = error as? CKError ?? CKError(.internalError)
  }
}
