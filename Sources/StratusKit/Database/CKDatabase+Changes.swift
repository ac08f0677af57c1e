extension CKDatabase {
  /// Changes of a database's zones.
  public enum DatabaseChange {
    /// A zone that is new or has changed.
    public struct Modification: Sendable, Hashable {
      /// The zone that is new or has changed.
      public let zoneID: CKRecordZone.ID
    }

    /// A zone that was deleted.
    public struct Deletion: Sendable, Hashable {
      /// The reason for a zone's deletion.
      public enum Reason: Sendable, Hashable {
        /// The user or the app deleted the zone.
        case deleted
        /// The user removed the app's data.
        case purged
        /// The user reset the key of the encrypted values. The app must upload its data again.
        case encryptedDataReset
      }

      /// The zone that was deleted.
      public let zoneID: CKRecordZone.ID
      /// The reason why the zone was deleted.
      public let reason: Reason

      /// Whether the zone was purged. Apple has deprecated this property in favour of ``reason``.
      public var purged: Bool { reason == .purged }
    }
  }

  /// Changes of a zone's records.
  public enum RecordZoneChange {
    /// A record that is new or has changed.
    public struct Modification: Sendable, Hashable {
      /// The record in its present state.
      public let record: CKRecord
    }

    /// A record that was deleted.
    public struct Deletion: Sendable, Hashable {
      /// The record that was deleted.
      public let recordID: CKRecord.ID
      /// The type of the deleted record.
      public let recordType: CKRecord.RecordType
    }
  }

  /// One page of a database's changes.
  typealias DatabaseChangesPage = (
    modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  )

  /// One page of a zone's changes.
  typealias RecordZoneChangesPage = (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  )

  /// Fetches one page of the changes of this database.
  ///
  /// - Parameters:
  ///   - changeToken: the change token of the previous page; nil to fetch from the beginning.
  ///   - resultsLimit: the maximum number of zones; nil if the server decides.
  /// - Throws: the error of the whole request.
  public func databaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
  ) async throws -> (
    modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    try await outcome { Self.changes(since: changeToken, limit: resultsLimit, $0) }
  }

  /// Fetches one page of the changes of this database; see `databaseChanges(since:resultsLimit:)`.
  @preconcurrency
  public func fetchDatabaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
            changeToken: CKServerChangeToken, moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    add(Self.changes(since: changeToken, limit: resultsLimit, completionHandler))
  }

  private static func changes(
    since changeToken: CKServerChangeToken?, limit: Int?,
    _ completion: @escaping (Result<DatabaseChangesPage, any Error>) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: changeToken)
    operation.resultsLimit = limit ?? 0
    operation.fetchAllChanges = false
    var modifications: [DatabaseChange.Modification] = []
    var deletions: [DatabaseChange.Deletion] = []
    operation.recordZoneWithIDChangedBlock = {
      modifications.append(DatabaseChange.Modification(zoneID: $0))
    }
    operation.recordZoneWithIDWasDeletedBlock = {
      deletions.append(DatabaseChange.Deletion(zoneID: $0, reason: .deleted))
    }
    operation.recordZoneWithIDWasPurgedBlock = {
      deletions.append(DatabaseChange.Deletion(zoneID: $0, reason: .purged))
    }
    operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = {
      deletions.append(DatabaseChange.Deletion(zoneID: $0, reason: .encryptedDataReset))
    }
    operation.fetchDatabaseChangesResultBlock = { result in
      completion(
        result.map { (modifications, deletions, $0.serverChangeToken, $0.moreComing) })
    }
    return operation
  }

  /// Fetches one page of the changes of a zone.
  ///
  /// - Parameters:
  ///   - changeToken: the change token of the previous page; nil to fetch from the beginning.
  ///   - desiredKeys: the fields to fetch; nil for all fields.
  ///   - resultsLimit: the maximum number of records; nil if the server decides.
  /// - Throws: the zone's error, or the error of the whole request.
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    try await outcome {
      Self.zoneChanges(
        zoneID,
        CKFetchRecordZoneChangesOperation.ZoneConfiguration(
          previousServerChangeToken: changeToken, resultsLimit: resultsLimit,
          desiredKeys: desiredKeys), $0)
    }
  }

  /// Fetches one page of the changes of a zone; see
  /// `recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)`.
  @preconcurrency
  public func fetchRecordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modificationResultsByID: [CKRecord.ID: Result<
              RecordZoneChange.Modification, any Error
            >],
            deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    add(
      Self.zoneChanges(
        zoneID,
        CKFetchRecordZoneChangesOperation.ZoneConfiguration(
          previousServerChangeToken: changeToken, resultsLimit: resultsLimit,
          desiredKeys: desiredKeys), completionHandler))
  }

  private static func zoneChanges(
    _ zoneID: CKRecordZone.ID,
    _ configuration: CKFetchRecordZoneChangesOperation.ZoneConfiguration,
    _ completion: @escaping (Result<RecordZoneChangesPage, any Error>) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: configuration])
    operation.fetchAllChanges = false
    var modifications: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
    var deletions: [RecordZoneChange.Deletion] = []
    var page: Result<RecordZoneChangesPage, any Error> = .failure(CKError.badAnswer)
    operation.recordWasChangedBlock = { recordID, result in
      modifications[recordID] = result.map(RecordZoneChange.Modification.init)
    }
    operation.recordWithIDWasDeletedBlock = { recordID, recordType in
      deletions.append(RecordZoneChange.Deletion(recordID: recordID, recordType: recordType))
    }
    operation.recordZoneFetchResultBlock = { _, result in
      page = result.map { (modifications, deletions, $0.serverChangeToken, $0.moreComing) }
    }
    operation.fetchRecordZoneChangesResultBlock = { result in
      completion(result.flatMap { page })
    }
    return operation
  }
}
