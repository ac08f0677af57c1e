public import Foundation
import StratusTransport

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
    let modification = RecordModification(
      database: database, policy: savePolicy, isAtomic: isAtomic,
      clientChangeToken: clientChangeTokenData?.base64EncodedString(),
      progress: { [self] record, progress in
        report { [self] in perRecordProgressBlock?(record, progress) }
      },
      deliver: { [self] in deliver($0, $1) })
    try await modification.run(saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [])
  }

  private func deliver(_ item: RecordBatch.Item, _ error: CKError?) {
    switch (item, error) {
    case (_, let error?): fail(item, error)
    case (.save(let record), nil): succeed(record)
    case (.delete(let recordID), nil):
      report { [self] in
        deleted.append(recordID)
        perRecordDeleteBlock?(recordID, .success(()))
      }
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
