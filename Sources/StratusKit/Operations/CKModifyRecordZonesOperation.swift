/// Makes and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to make; one that exists already is left as it is.
  public var recordZonesToSave: [CKRecordZone]?
  /// The zones to delete, with everything in them.
  public var recordZoneIDsToDelete: [CKRecordZone.ID]?

  /// Called once for each zone to make.
  public var perRecordZoneSaveBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
  /// Called once for each zone to delete.
  public var perRecordZoneDeleteBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  /// Deprecated by Apple for ``modifyRecordZonesResultBlock``, which suppresses it. Failures of
  /// single zones come as `CKError.partialFailure`.
  public var modifyRecordZonesCompletionBlock:
    (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  /// Called last. Fails only with the operation as a whole.
  public var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

  // Only touched on the callback queue.
  private var saved: [CKRecordZone] = []
  private var deleted: [CKRecordZone.ID] = []
  private var errors = ItemErrors()

  public override init() { super.init() }

  /// Makes an operation that makes and deletes the given zones.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    self.recordZonesToSave = recordZonesToSave
    self.recordZoneIDsToDelete = recordZoneIDsToDelete
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let outcome = try await database.modifyZones(
      saving: recordZonesToSave ?? [], deleting: recordZoneIDsToDelete ?? [])
    for (zoneID, result) in outcome.saves { deliverSave(result, of: zoneID) }
    for (zoneID, error) in outcome.deletes { deliverDelete(error, of: zoneID) }
  }

  private func deliverSave(_ result: Result<CKRecordZone, CKError>, of zoneID: CKRecordZone.ID) {
    report { [self] in
      switch result {
      case .success(let zone): saved.append(zone)
      case .failure(let error): errors.add(error, for: zoneID)
      }
      perRecordZoneSaveBlock?(zoneID, result.mapError { $0 })
    }
  }

  private func deliverDelete(_ error: CKError?, of zoneID: CKRecordZone.ID) {
    report { [self] in
      if let error {
        errors.add(error, for: zoneID)
      } else {
        deleted.append(zoneID)
      }
      perRecordZoneDeleteBlock?(zoneID, error.asResult)
    }
  }

  override func conclude(with failure: CKError?) {
    if let modifyRecordZonesResultBlock {
      modifyRecordZonesResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && saved.isEmpty && deleted.isEmpty
      modifyRecordZonesCompletionBlock?(
        isEmpty ? nil : saved, isEmpty ? nil : deleted, failure ?? errors.partialFailure)
    }
  }

  override func releaseBlocks() {
    perRecordZoneSaveBlock = nil
    perRecordZoneDeleteBlock = nil
    modifyRecordZonesCompletionBlock = nil
    modifyRecordZonesResultBlock = nil
  }
}
