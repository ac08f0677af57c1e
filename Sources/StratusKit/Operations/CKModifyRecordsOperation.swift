public import Foundation
import StratusTransport

/// Saves and deletes records.
///
/// The operation sends one request for each zone. A request is atomic if ``isAtomic`` is true and
/// the zone supports atomic requests.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordsToSave: [CKRecord]?
    var recordIDsToDelete: [CKRecord.ID]?
    var savePolicy: RecordSavePolicy = RecordSavePolicy.ifServerRecordUnchanged
    var isAtomic = true
    var clientChangeTokenData: Data?
    var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    var perRecordSaveBlock:
      ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
    var perRecordDeleteBlock:
      ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?
    var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      perRecordProgressBlock = nil
      perRecordCompletionBlock = nil
      perRecordSaveBlock = nil
      perRecordDeleteBlock = nil
      modifyRecordsCompletionBlock = nil
      modifyRecordsResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The records to save.
  public var recordsToSave: [CKRecord]? {
    get { properties[\.recordsToSave] }
    set { properties[\.recordsToSave] = newValue }
  }
  /// The records to delete.
  public var recordIDsToDelete: [CKRecord.ID]? {
    get { properties[\.recordIDsToDelete] }
    set { properties[\.recordIDsToDelete] = newValue }
  }
  /// The policy decides which fields are sent, and whether change tags are compared. The default is
  /// `.ifServerRecordUnchanged`.
  public var savePolicy: RecordSavePolicy {
    get { properties[\.savePolicy] }
    set { properties[\.savePolicy] = newValue }
  }
  /// Whether one failed change makes all changes of the same zone fail; true by default. The
  /// property has an effect only if the zone supports atomic requests.
  public var isAtomic: Bool {
    get { properties[\.isAtomic] }
    set { properties[\.isAtomic] = newValue }
  }
  /// A value of at most 768 bytes. The server stores the value with each zone of the operation, and
  /// returns it with the zone's changes.
  public var clientChangeTokenData: Data? {
    get { properties[\.clientChangeTokenData] }
    set { properties[\.clientChangeTokenData] = newValue }
  }

  /// Called with values below 1 while a record's files are uploaded, and with 1 when the record is
  /// saved. The value decreases if a file must be uploaded again.
  public var perRecordProgressBlock: ((CKRecord, Double) -> Void)? {
    get { properties[\.perRecordProgressBlock] }
    set { properties[\.perRecordProgressBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``perRecordSaveBlock`` is set.
  public var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)? {
    get { properties[\.perRecordCompletionBlock] }
    set { properties[\.perRecordCompletionBlock] = newValue }
  }
  /// Called once for each record to save.
  public var perRecordSaveBlock:
    ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
  {
    get { properties[\.perRecordSaveBlock] }
    set { properties[\.perRecordSaveBlock] = newValue }
  }
  /// Called once for each record to delete.
  public var perRecordDeleteBlock:
    ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.perRecordDeleteBlock] }
    set { properties[\.perRecordDeleteBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``modifyRecordsResultBlock`` is set.
  /// Errors of single items arrive as `CKError.partialFailure`.
  public var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)? {
    get { properties[\.modifyRecordsCompletionBlock] }
    set { properties[\.modifyRecordsCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)? {
    get { properties[\.modifyRecordsResultBlock] }
    set { properties[\.modifyRecordsResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var saved: [CKRecord] = []
  private var deleted: [CKRecord.ID] = []
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
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
    let started = started
    let modification = RecordModification(
      database: database, isAtomic: started.isAtomic,
      clientChangeToken: started.clientChangeTokenData?.base64EncodedString(),
      progress: { [self] record, progress in
        report { [self] in self.started.perRecordProgressBlock?(record, progress) }
      },
      deliver: { [self] in deliver($0, $1) })
    try await modification.run(
      saving: started.recordsToSave ?? [], policy: started.savePolicy,
      deleting: started.recordIDsToDelete ?? [])
  }

  private func deliver(_ item: RecordBatch.Item, _ error: CKError?) {
    switch (item, error) {
    case (_, let error?): fail(item, error)
    case (.save(let record, _), nil): succeed(record)
    case (.delete(let recordID), nil):
      report { [self] in
        deleted.append(recordID)
        started.perRecordDeleteBlock?(recordID, .success(()))
      }
    }
  }

  private func succeed(_ record: CKRecord) {
    report { [self] in
      saved.append(record)
      started.perRecordProgressBlock?(record, 1)
      if let perRecordSaveBlock = started.perRecordSaveBlock {
        perRecordSaveBlock(record.recordID, .success(record))
      } else {
        started.perRecordCompletionBlock?(record, nil)
      }
    }
  }

  private func fail(_ item: RecordBatch.Item, _ error: CKError) {
    report { [self] in
      errors.add(error, for: item.recordID)
      switch item {
      case .delete(let recordID): started.perRecordDeleteBlock?(recordID, .failure(error))
      case .save(let record, _):
        if let perRecordSaveBlock = started.perRecordSaveBlock {
          perRecordSaveBlock(record.recordID, .failure(error))
        } else {
          started.perRecordCompletionBlock?(record, error)
        }
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let modifyRecordsResultBlock = started.modifyRecordsResultBlock {
      modifyRecordsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && saved.isEmpty && deleted.isEmpty
      started.modifyRecordsCompletionBlock?(
        isEmpty ? nil : saved, isEmpty ? nil : deleted, failure ?? errors.partialFailure)
    }
  }
}
