import StratusWire

/// Fetches zones.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordZoneIDs: [CKRecordZone.ID]?
    var perRecordZoneResultBlock:
      (
        (_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>)
          -> Void
      )?
    var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
    var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    var wantsAll = false

    mutating func releaseBlocks() {
      perRecordZoneResultBlock = nil
      fetchRecordZonesCompletionBlock = nil
      fetchRecordZonesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The zones to fetch.
  public var recordZoneIDs: [CKRecordZone.ID]? {
    get { properties[\.recordZoneIDs] }
    set { properties[\.recordZoneIDs] = newValue }
  }

  /// Called once for each zone.
  public var perRecordZoneResultBlock:
    (
      (_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>)
        -> Void
    )?
  {
    get { properties[\.perRecordZoneResultBlock] }
    set { properties[\.perRecordZoneResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchRecordZonesResultBlock`` is set.
  /// Errors of single zones arrive as `CKError.partialFailure`.
  public var fetchRecordZonesCompletionBlock:
    (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  {
    get { properties[\.fetchRecordZonesCompletionBlock] }
    set { properties[\.fetchRecordZonesCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)? {
    get { properties[\.fetchRecordZonesResultBlock] }
    set { properties[\.fetchRecordZonesResultBlock] = newValue }
  }

  final var wantsAll: Bool {
    get { properties[\.wantsAll] }
    set { properties[\.wantsAll] = newValue }
  }
  // Accessed only on the callback queue.
  private var fetched: [CKRecordZone.ID: CKRecordZone] = [:]
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public required override init() { super.init() }

  /// Makes an operation that fetches the given zones.
  public convenience init(recordZoneIDs zoneIDs: [CKRecordZone.ID]) {
    self.init()
    recordZoneIDs = zoneIDs
  }

  /// Returns an operation that fetches every zone of the database, including the default zone. The
  /// shared database has no default zone.
  open class func fetchAllRecordZonesOperation() -> Self {
    let operation = Self()
    operation.wantsAll = true
    return operation
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    var seen: Set<CKRecordZone.ID> = []
    let wanted = (started.recordZoneIDs ?? []).filter { seen.insert($0).inserted }
    if !started.wantsAll && wanted.isEmpty { return }
    guard started.wantsAll || wanted.count <= Limits.zonesPerRequestMax else {
      throw CKError.tooLarge(
        "\(wanted.count) zones; one operation accepts at most \(Limits.zonesPerRequestMax)")
    }
    let naming = try await database.naming()
    if started.wantsAll {
      let response = try await database.send(ListZones.self, EmptyRequest())
      for item in response.zones { deliver(item, requested: nil, naming: naming) }
    } else {
      let request = LookupZones.Request(zones: wanted.map(\.wire))
      let response = try await database.send(LookupZones.self, request)
      guard response.zones.count == wanted.count else { throw CKError.badAnswer }
      for (zoneID, item) in zip(wanted, response.zones) {
        deliver(item, requested: zoneID, naming: naming)
      }
    }
  }

  private func deliver(_ item: ZoneItem, requested: CKRecordZone.ID?, naming: UserNaming) {
    switch item {
    case .zone(let dictionary):
      let zone = CKRecordZone(wire: dictionary, naming: naming)
      deliver(.success(zone), of: requested ?? zone.zoneID)
    case .failure(let zoneID, let error):
      deliver(
        .failure(CKError(error)), of: requested ?? CKRecordZone.ID(wire: zoneID, naming: naming))
    }
  }

  private func deliver(_ result: Result<CKRecordZone, CKError>, of zoneID: CKRecordZone.ID) {
    report { [self] in
      switch result {
      case .success(let zone): fetched[zoneID] = zone
      case .failure(let error): errors.add(error, for: zoneID)
      }
      started.perRecordZoneResultBlock?(zoneID, result.mapError { $0 })
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchRecordZonesResultBlock = started.fetchRecordZonesResultBlock {
      fetchRecordZonesResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && fetched.isEmpty
      started.fetchRecordZonesCompletionBlock?(
        isEmpty ? nil : fetched, failure ?? errors.partialFailure)
    }
  }
}
