/// What a sync engine asks of the server, in its one database.
///
/// Calls are not repeated by themselves beyond what the transport does where somebody waits; a
/// cancelled task makes them fail with `CKError.operationCancelled`.
package protocol SyncCalls: Sendable {
  /// One page of the database's changes.
  ///
  /// - Parameter token: where the last page ended; nil: from the beginning, which lists all zones.
  func databaseChanges(
    since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncDatabasePage

  /// One page of a zone's changes, with the files of its records.
  ///
  /// - Parameter token: where the last page ended; nil: from the beginning.
  /// - Throws: the zone's own error, or that of the whole request.
  func zoneChanges(
    in zoneID: CKRecordZone.ID, since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncZonePage

  /// Makes and deletes zones; at most `Limits.zonesPerRequestMax` together.
  ///
  /// - Throws: what the whole request failed with.
  func modifyZones(
    saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID], group: CKOperationGroup
  ) async throws(CKError) -> SyncZonesOutcome

  /// Saves and deletes records. What the whole request, or that of a zone, failed with is the
  /// error of each item concerned.
  func modifyRecords(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID], isAtomic: Bool,
    group: CKOperationGroup
  ) async -> SyncRecordsOutcome

  /// Finds a subscription to the whole database, or makes one.
  ///
  /// - Parameter id: the one it has to be; nil: any.
  /// - Returns: its ID.
  func subscribe(id: String?) async throws(CKError) -> String
}

/// One page of a database's changes.
package struct SyncDatabasePage: Sendable {
  package var modifications: [CKRecordZone.ID]
  /// What tells each zone from earlier and later ones of its name, where the server says it.
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
  /// Of the first record that cannot be handed over, or not whole.
  package var recordError: CKError?
  package var token: String
  package var moreComing: Bool

  package init(
    records: [CKRecord] = [], deletions: [CKDatabase.RecordZoneChange.Deletion] = [],
    recordError: CKError? = nil, token: String, moreComing: Bool = false
  ) {
    self.records = records
    self.deletions = deletions
    self.recordError = recordError
    self.token = token
    self.moreComing = moreComing
  }
}

/// What became of each zone of a request, in the order of the request.
package struct SyncZonesOutcome: Sendable {
  package var saved: [CKRecordZone] = []
  /// What tells each saved zone from earlier and later ones of its name, where the server says it.
  package var incarnations: [CKRecordZone.ID: String] = [:]
  package var failedSaves: [(zone: CKRecordZone, error: CKError)] = []
  package var deleted: [CKRecordZone.ID] = []
  package var failedDeletes: [(zoneID: CKRecordZone.ID, error: CKError)] = []

  package init() {}
}

/// What became of each record of a request, in the order of the request.
package struct SyncRecordsOutcome: Sendable {
  package var saved: [CKRecord] = []
  package var failedSaves: [(record: CKRecord, error: CKError)] = []
  package var deleted: [CKRecord.ID] = []
  package var failedDeletes: [(recordID: CKRecord.ID, error: CKError)] = []

  package init() {}

  /// How many records it is about.
  var count: Int { saved.count + failedSaves.count + deleted.count + failedDeletes.count }
}
