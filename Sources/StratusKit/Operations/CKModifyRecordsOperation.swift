public import Foundation
import StratusTransport
import StratusWire

/// Saves and deletes records.
///
/// Each zone is one request, atomic where the zone can be.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The records to save.
  public var recordsToSave: [CKRecord]?
  /// The records to delete.
  public var recordIDsToDelete: [CKRecord.ID]?
  /// What is sent, and whether change tags are compared; `.ifServerRecordUnchanged` by default.
  public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// Whether, in a zone that can, all changes fail with one; true by default.
  public var isAtomic = true
  /// Kept with each zone and given back in its change feed. At most 768 bytes.
  public var clientChangeTokenData: Data?

  /// Called with 1 when a record has been saved, and before with less while its files are sent;
  /// what is to be sent again makes it go backwards.
  public var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
  /// Deprecated by Apple for ``perRecordSaveBlock``, which suppresses it.
  public var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
  /// Called once for each record to save.
  public var perRecordSaveBlock:
    ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
  /// Called once for each record to delete.
  public var perRecordDeleteBlock:
    ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  /// Deprecated by Apple for ``modifyRecordsResultBlock``, which suppresses it. Failures of single
  /// items come as `CKError.partialFailure`.
  public var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?
  /// Called last. Fails only with the operation as a whole.
  public var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

  // Only touched on the callback queue.
  private var saved: [CKRecord] = []
  private var deleted: [CKRecord.ID] = []
  private var errors = ItemErrors()

  public override init() { super.init() }

  /// Makes an operation that saves and deletes the given records.
  public convenience init(
    recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil
  ) {
    self.init()
    self.recordsToSave = recordsToSave
    self.recordIDsToDelete = recordIDsToDelete
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let batches = try RecordBatch.plan(
      saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [])
    if batches.isEmpty { return }
    let prepared = batches.map {
      PreparedBatch($0, policy: savePolicy, isAtomic: isAtomic)
    }
    let size = prepared.reduce(0) { $0 + $1.sizeBytes }
    guard size <= Limits.operationSizeBytesMax else {
      throw CKError.tooLarge(
        "\(size) bytes; one operation takes \(Limits.operationSizeBytesMax)")
    }
    let naming = try await database.naming()
    for var batch in prepared {
      do throws(CKError) {
        try await batch.sendFiles(to: database, isAtomic: isAtomic) { [self] record, progress in
          report { [self] in perRecordProgressBlock?(record, progress) }
        }
        try await batch.seal(for: database, isAtomic: isAtomic)
      } catch {
        guard error.concernsZone else { throw error }
        for (item, error) in batch.refused { fail(item, error) }
        for item in batch.items { fail(item.requested, error) }
        continue
      }
      for (item, error) in batch.refused { fail(item, error) }
      if !batch.items.isEmpty { try await send(batch, to: database, naming: naming) }
    }
  }

  private func send(
    _ batch: PreparedBatch, to database: DatabaseCalls, naming: UserNaming,
    isSealedAnew: Bool = false
  ) async throws(CKError) {
    let operations = batch.items.map(\.operation)
    let request = ModifyRecords.Request(
      zoneID: batch.zoneID.wire, operations: operations, isAtomic: isAtomic,
      clientChangeToken: clientChangeTokenData?.base64EncodedString())
    let isIdempotent = operations.allSatisfy(\.kind.isForced)
    let response: RecordsResponse
    do throws(CKError) {
      response = try await database.send(
        ModifyRecords.self, request, isIdempotent: isIdempotent)
    } catch {
      if error.isUnknownZoneKey, batch.hasEncryptedFields, !isSealedAnew {
        return try await sealAnew(batch, for: database, naming: naming)
      }
      guard error.concernsZone else { throw error }
      for item in batch.items { fail(item.requested, error) }
      return
    }
    guard response.records.count == batch.items.count else { throw CKError.badAnswer }
    for (item, result) in zip(batch.items, response.records) {
      try await deliver(result, of: item, from: database, naming: naming)
    }
  }

  /// The zone was deleted and made again, or its keys were reset, since this device learnt its key.
  private func sealAnew(
    _ batch: PreparedBatch, for database: DatabaseCalls, naming: UserNaming
  ) async throws(CKError) {
    database.path.keyRing?.forget(zoneNamed: batch.zoneID.zoneName)
    var batch = batch
    let refusedBefore = batch.refused.count
    try await batch.seal(for: database, isAtomic: isAtomic)
    for (item, error) in batch.refused.dropFirst(refusedBefore) { fail(item, error) }
    if batch.items.isEmpty { return }
    try await send(batch, to: database, naming: naming, isSealedAnew: true)
  }

  private func deliver(
    _ result: RecordItem, of item: PreparedBatch.Item, from database: DatabaseCalls,
    naming: UserNaming
  ) async throws(CKError) {
    switch (item, result) {
    case (.save(let record, let save), .failure(let failure)):
      let error = CKError(failure, saving: record, naming: naming)
      if error.code == .invalidArguments {
        // It may be that the server knows nothing of the files any more: send them next time.
        for (asset, _) in save.assets { asset.receipt = nil }
      }
      if let serverRecord = error.serverRecord {
        // NB: other items are committed and wait for their results; the values stay unread.
        try? await database.openValues(of: [serverRecord])
      }
      fail(.save(record), error)
    case (.delete(let recordID), .failure(let failure)):
      fail(.delete(recordID), CKError(failure.error))
    case (.save(let record, let save), .record(let dictionary)):
      record.adoptSaved(dictionary, of: save, naming: naming)
      succeed(record)
    case (.delete(let recordID), .deleted), (.delete(let recordID), .record):
      report { [self] in
        deleted.append(recordID)
        perRecordDeleteBlock?(recordID, .success(()))
      }
    case (.save, .deleted): throw CKError.badAnswer
    }
  }

  private func succeed(_ record: CKRecord) {
    report { [self] in
      saved.append(record)
      perRecordProgressBlock?(record, 1)
      if let perRecordSaveBlock {
        perRecordSaveBlock(record.recordID, .success(record))
      } else {
        perRecordCompletionBlock?(record, nil)
      }
    }
  }

  private func fail(_ item: RecordBatch.Item, _ error: CKError) {
    report { [self] in
      errors.add(error, for: item.recordID)
      switch item {
      case .delete(let recordID): perRecordDeleteBlock?(recordID, .failure(error))
      case .save(let record):
        if let perRecordSaveBlock {
          perRecordSaveBlock(record.recordID, .failure(error))
        } else {
          perRecordCompletionBlock?(record, error)
        }
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let modifyRecordsResultBlock {
      modifyRecordsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && saved.isEmpty && deleted.isEmpty
      modifyRecordsCompletionBlock?(
        isEmpty ? nil : saved, isEmpty ? nil : deleted, failure ?? errors.partialFailure)
    }
  }

  override func releaseBlocks() {
    perRecordProgressBlock = nil
    perRecordCompletionBlock = nil
    perRecordSaveBlock = nil
    perRecordDeleteBlock = nil
    modifyRecordsCompletionBlock = nil
    modifyRecordsResultBlock = nil
  }
}

extension RecordOperation.Kind {
  /// Whether the server compares no change tag, so that a second time is the same as the first.
  var isForced: Bool {
    switch self {
    case .forceUpdate, .forceReplace, .forceDelete: true
    case .create, .update, .replace, .delete: false
    }
  }
}
