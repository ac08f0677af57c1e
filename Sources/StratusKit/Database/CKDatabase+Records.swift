extension CKDatabase {
  // Several records.

  /// Fetches records by their IDs.
  ///
  /// - Parameter desiredKeys: the fields to fetch; nil for all fields.
  /// - Throws: the error of the whole request. An error of a single record is the result of that
  ///   record.
  public func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    try await outcome { Self.fetch(ids, desiredKeys, $0) }
  }

  /// Fetches records by their IDs; see `records(for:desiredKeys:)`.
  @preconcurrency
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.fetch(recordIDs, desiredKeys, completionHandler))
  }

  /// Saves and deletes records.
  ///
  /// - Throws: the error of the whole request. An error of a single record is the result of that
  ///   record.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    try await outcome {
      Self.modify(recordsToSave, recordIDsToDelete, savePolicy, atomically, $0)
    }
  }

  /// Saves and deletes records; see `modifyRecords(saving:deleting:savePolicy:atomically:)`.
  @preconcurrency
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
            deleteResults: [CKRecord.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    add(
      Self.modify(
        recordsToSave, recordIDsToDelete, savePolicy, atomically, completionHandler))
  }

  // One record.

  /// Fetches a record.
  ///
  /// - Throws: `CKError.unknownItem` if the record does not exist.
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try await outcome { completion in
      Self.fetch([recordID], nil) { completion($0.only(recordID)) }
    }
  }

  /// Fetches a record; see `record(for:)`.
  @preconcurrency
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    add(
      Self.fetch([recordID], nil) { result in
        result.only(recordID).report(to: completionHandler)
      })
  }

  /// Saves a record if its server version has not changed since the app fetched the record.
  ///
  /// - Throws: `CKError.serverRecordChanged` if the server's version has changed.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    try await outcome { Self.save(record, $0) }
  }

  /// Saves a record; see `save(_:)`.
  @preconcurrency
  public func save(
    _ record: CKRecord,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    add(Self.save(record) { $0.report(to: completionHandler) })
  }

  /// Deletes a record.
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    try await outcome { Self.delete(recordID, $0) }
  }

  /// Deletes a record.
  @preconcurrency
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    add(Self.delete(recordID) { $0.report(to: completionHandler) })
  }

  // The operations behind these methods.

  typealias ModifyRecordsResult = Result<
    (
      saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
      deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ), any Error
  >

  private static func fetch(
    _ recordIDs: [CKRecord.ID], _ desiredKeys: [CKRecord.FieldKey]?,
    _ completion:
      @escaping (
        Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
      ) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchRecordsOperation(recordIDs: recordIDs)
    operation.desiredKeys = desiredKeys
    var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    operation.perRecordResultBlock = { results[$0] = $1 }
    operation.fetchRecordsResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func modify(
    _ saving: [CKRecord], _ deleting: [CKRecord.ID],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ isAtomic: Bool,
    _ completion: @escaping (ModifyRecordsResult) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKModifyRecordsOperation(
      recordsToSave: saving, recordIDsToDelete: deleting)
    operation.savePolicy = policy
    operation.isAtomic = isAtomic
    var saves: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    var deletes: [CKRecord.ID: Result<Void, any Error>] = [:]
    operation.perRecordSaveBlock = { saves[$0] = $1 }
    operation.perRecordDeleteBlock = { deletes[$0] = $1 }
    operation.modifyRecordsResultBlock = { result in
      completion(result.map { (saves, deletes) })
    }
    return operation
  }

  private static func save(
    _ record: CKRecord, _ completion: @escaping (Result<CKRecord, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([record], [], .ifServerRecordUnchanged, true) { result in
      completion(result.map(\.saveResults).only(record.recordID))
    }
  }

  private static func delete(
    _ recordID: CKRecord.ID, _ completion: @escaping (Result<CKRecord.ID, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([], [recordID], .ifServerRecordUnchanged, true) { result in
      completion(result.map(\.deleteResults).only(recordID).map { recordID })
    }
  }
}

extension Result where Failure == any Error {
  /// Returns the result of the item with this ID. The operation has only this item.
  func only<ID: Hashable, Item>(
    _ id: ID
  ) -> Result<Item, any Error> where Success == [ID: Result<Item, any Error>] {
    flatMap { $0[id] ?? .failure(CKError.badAnswer) }
  }
}
