import StratusWire

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
    let zones = recordZonesToSave ?? []
    let saving = zones.map(\.zoneID)
    let deleting = recordZoneIDsToDelete ?? []
    let count = saving.count + deleting.count
    if count == 0 { return }
    guard count <= Limits.zonesPerRequestMax else {
      throw CKError.tooLarge(
        "\(count) zones; one operation takes \(Limits.zonesPerRequestMax)")
    }
    guard Set(saving + deleting).count == count else {
      throw CKError.malformed("a zone appears twice in one operation")
    }
    let naming = try await database.naming()
    let operations =
      zones.map {
        ModifyZones.Operation(
          .create, $0.zoneID.wire, encryptionScope: $0.explicitEncryptionScope?.wire)
      }
      + deleting.map { ModifyZones.Operation(.delete, $0.wire) }
    // A zone made twice is made once; one deleted twice is not found.
    let response = try await database.send(
      ModifyZones.self, ModifyZones.Request(operations: operations),
      isIdempotent: deleting.isEmpty)
    guard response.zones.count == count else { throw CKError.badAnswer }
    for (zoneID, item) in zip(saving, response.zones) {
      deliverSave(item, of: zoneID, naming: naming)
    }
    for (zoneID, item) in zip(deleting, response.zones.dropFirst(saving.count)) {
      deliverDelete(item, of: zoneID)
    }
  }

  private func deliverSave(_ item: ZoneItem, of zoneID: CKRecordZone.ID, naming: UserNaming) {
    report { [self] in
      switch item {
      case .zone(let dictionary):
        let zone = CKRecordZone(wire: dictionary, naming: naming)
        saved.append(zone)
        perRecordZoneSaveBlock?(zoneID, .success(zone))
      case .failure(_, let error):
        let error = CKError(error)
        errors.add(error, for: zoneID)
        perRecordZoneSaveBlock?(zoneID, .failure(error))
      }
    }
  }

  private func deliverDelete(_ item: ZoneItem, of zoneID: CKRecordZone.ID) {
    report { [self] in
      switch item {
      case .zone:
        deleted.append(zoneID)
        perRecordZoneDeleteBlock?(zoneID, .success(()))
      case .failure(_, let error):
        let error = CKError(error)
        errors.add(error, for: zoneID)
        perRecordZoneDeleteBlock?(zoneID, .failure(error))
      }
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
