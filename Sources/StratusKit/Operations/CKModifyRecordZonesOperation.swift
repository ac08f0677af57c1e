/// Creates and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordZonesToSave: [CKRecordZone]?
    var recordZoneIDsToDelete: [CKRecordZone.ID]?
    var perRecordZoneSaveBlock:
      ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
    var perRecordZoneDeleteBlock:
      ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    var modifyRecordZonesCompletionBlock:
      (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
    var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func detach() {
      recordZonesToSave = recordZonesToSave?.compactMap { $0.copy() as? CKRecordZone }
    }

    mutating func releaseBlocks() {
      perRecordZoneSaveBlock = nil
      perRecordZoneDeleteBlock = nil
      modifyRecordZonesCompletionBlock = nil
      modifyRecordZonesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The zones to create. Zones that already exist stay unchanged.
  public var recordZonesToSave: [CKRecordZone]? {
    get { properties[\.recordZonesToSave] }
    set { properties[\.recordZonesToSave] = newValue }
  }
  /// The zones to delete, with everything in them. In the shared database, the user leaves all
  /// shares of these zones instead.
  public var recordZoneIDsToDelete: [CKRecordZone.ID]? {
    get { properties[\.recordZoneIDsToDelete] }
    set { properties[\.recordZoneIDsToDelete] = newValue }
  }

  /// Called once for each zone to create.
  public var perRecordZoneSaveBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
  {
    get { properties[\.perRecordZoneSaveBlock] }
    set { properties[\.perRecordZoneSaveBlock] = newValue }
  }
  /// Called once for each zone to delete.
  public var perRecordZoneDeleteBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.perRecordZoneDeleteBlock] }
    set { properties[\.perRecordZoneDeleteBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``modifyRecordZonesResultBlock`` is set.
  /// Errors of single zones arrive as `CKError.partialFailure`.
  public var modifyRecordZonesCompletionBlock:
    (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  {
    get { properties[\.modifyRecordZonesCompletionBlock] }
    set { properties[\.modifyRecordZonesCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)? {
    get { properties[\.modifyRecordZonesResultBlock] }
    set { properties[\.modifyRecordZonesResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var saved: [CKRecordZone] = []
  private var deleted: [CKRecordZone.ID] = []
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that creates and deletes the given zones.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    self.recordZonesToSave = recordZonesToSave
    self.recordZoneIDsToDelete = recordZoneIDsToDelete
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let started = started
    let outcome = try await database.modifyZones(
      saving: started.recordZonesToSave ?? [], deleting: started.recordZoneIDsToDelete ?? [])
    for (zoneID, result) in outcome.saves { deliverSave(result, of: zoneID) }
    for (zoneID, error) in outcome.deletes { deliverDelete(error, of: zoneID) }
  }

  private func deliverSave(_ result: Result<CKRecordZone, CKError>, of zoneID: CKRecordZone.ID) {
    report { [self] in
      switch result {
      case .success(let zone): saved.append(zone)
      case .failure(let error): errors.add(error, for: zoneID)
      }
      started.perRecordZoneSaveBlock?(zoneID, result.mapError { $0 })
    }
  }

  private func deliverDelete(_ error: CKError?, of zoneID: CKRecordZone.ID) {
    report { [self] in
      if let error {
        errors.add(error, for: zoneID)
      } else {
        deleted.append(zoneID)
      }
      started.perRecordZoneDeleteBlock?(zoneID, error.asResult)
    }
  }

  override func conclude(with failure: CKError?) {
    if let modifyRecordZonesResultBlock = started.modifyRecordZonesResultBlock {
      modifyRecordZonesResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && saved.isEmpty && deleted.isEmpty
      started.modifyRecordZonesCompletionBlock?(
        isEmpty ? nil : saved, isEmpty ? nil : deleted, failure ?? errors.partialFailure)
    }
  }
}
