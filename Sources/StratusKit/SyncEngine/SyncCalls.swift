/// The requests that a sync engine sends to the server. All of them concern the engine's database.
///
/// The transport retries a failed request only a few times, as if a user waited for the result. In
/// a cancelled task, the calls fail with `CKError.operationCancelled`.
package protocol SyncCalls: Sendable {
  /// Fetches one page of the database's changes.
  ///
  /// - Parameter token: the token of the last page; nil to read from the beginning, which lists all
  ///   zones.
  func databaseChanges(
    since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncDatabasePage

  /// Fetches one page of a zone's changes, with the files of its records.
  ///
  /// - Parameter token: the token of the last page; nil to read from the beginning.
  /// - Throws: the zone's own error, or the error of the whole request.
  func zoneChanges(
    in zoneID: CKRecordZone.ID, since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncZonePage

  /// Creates and deletes at most `Limits.zonesPerRequestMax` zones.
  ///
  /// - Throws: the error of the whole request.
  func modifyZones(
    saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID], group: CKOperationGroup
  ) async throws(CKError) -> SyncZonesOutcome

  /// Saves and deletes records. If the whole request or the request of a zone fails, each item of
  /// that request has the error.
  func modifyRecords(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID], isAtomic: Bool,
    group: CKOperationGroup
  ) async -> SyncRecordsOutcome

  /// Finds or creates a subscription to the whole database.
  ///
  /// - Parameter id: the required ID; nil accepts any ID.
  /// - Returns: the ID of the subscription.
  func subscribe(id: String?) async throws(CKError) -> String
}

/// One page of a database's changes.
package struct SyncDatabasePage: Sendable {
  package var modifications: [CKRecordZone.ID]
  /// The incarnation of each zone, if the server reports it. A zone that is deleted and created
  /// again has another incarnation.
  package var incarnations: [CKRecordZone.ID: String]
  package var deletions: [CKDatabase.DatabaseChange.Deletion]
  package var token: String
  package var moreComing: Bool

  package init(
    modifications: [CKRecordZone.ID] = [], incarnations: [CKRecordZone.ID: String] = [:],
    deletions: [CKDatabase.DatabaseChange.Deletion] = [], token: String, moreComing: Bool = false
  ) {
    self.modifications = modifications
    self.incarnations = incarnations
    self.deletions = deletions
    self.token = token
    self.moreComing = moreComing
  }
}

/// One page of a zone's changes.
package struct SyncZonePage: Sendable {
  package var records: [CKRecord]
  package var deletions: [CKDatabase.RecordZoneChange.Deletion]
  /// The error of the first record that could not be read completely.
  package var recordError: CKError?
  package var token: String
  package var moreComing: Bool
  /// An upper bound for the number of changes after this page; nil if the server does not report
  /// it.
  package var remainingCountMax: Int?

  package init(
    records: [CKRecord] = [], deletions: [CKDatabase.RecordZoneChange.Deletion] = [],
    recordError: CKError? = nil, token: String, moreComing: Bool = false,
    remainingCountMax: Int? = nil
  ) {
    self.remainingCountMax = remainingCountMax
    self.records = records
    self.deletions = deletions
    self.recordError = recordError
    self.token = token
    self.moreComing = moreComing
  }
}

/// The results of a request for zones, in the order of the request.
package struct SyncZonesOutcome: Sendable {
  package var saved: [CKRecordZone] = []
  /// The incarnation of each saved zone, if the server reports it.
  package var incarnations: [CKRecordZone.ID: String] = [:]
  package var failedSaves: [(zone: CKRecordZone, error: CKError)] = []
  package var deleted: [CKRecordZone.ID] = []
  package var failedDeletes: [(zoneID: CKRecordZone.ID, error: CKError)] = []

  package init() {}
}

/// The results of a request for records, in the order of the request.
package struct SyncRecordsOutcome: Sendable {
  package var saved: [CKRecord] = []
  package var failedSaves: [(record: CKRecord, error: CKError)] = []
  package var deleted: [CKRecord.ID] = []
  package var failedDeletes: [(recordID: CKRecord.ID, error: CKError)] = []

  package init() {}
}
