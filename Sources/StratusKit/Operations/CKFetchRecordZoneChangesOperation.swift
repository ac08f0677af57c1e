public import Foundation
import StratusWire

/// Fetches the changes of the records of some zones.
///
/// Zones are fetched one after another. Tokens that the operation has delivered stay valid, even if
/// the operation fails later.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordZoneIDs: [CKRecordZone.ID]?
    var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    var fetchAllChanges = true
    var recordChangedBlock: ((CKRecord) -> Void)?
    var recordWasChangedBlock:
      ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    var recordWithIDWasDeletedBlock:
      ((_ recordID: CKRecord.ID, _ recordType: CKRecord.RecordType) -> Void)?
    var recordZoneChangeTokensUpdatedBlock:
      ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    var recordZoneFetchCompletionBlock:
      ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    var recordZoneFetchResultBlock:
      (
        (
          _ recordZoneID: CKRecordZone.ID,
          _ fetchChangesResult: Result<
            (
              serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool
            ), any Error
          >
        ) -> Void
      )?
    var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?
    var fetchRecordZoneChangesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func detach() {
      configurationsByRecordZoneID = configurationsByRecordZoneID?.compactMapValues {
        $0.copy() as? ZoneConfiguration
      }
      optionsByRecordZoneID = optionsByRecordZoneID?.compactMapValues {
        $0.copy() as? ZoneOptions
      }
    }

    mutating func releaseBlocks() {
      recordChangedBlock = nil
      recordWasChangedBlock = nil
      recordWithIDWasDeletedBlock = nil
      recordZoneChangeTokensUpdatedBlock = nil
      recordZoneFetchCompletionBlock = nil
      recordZoneFetchResultBlock = nil
      fetchRecordZoneChangesCompletionBlock = nil
      fetchRecordZoneChangesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The zones to fetch. Choice: nil means all zones in ``configurationsByRecordZoneID``.
  public var recordZoneIDs: [CKRecordZone.ID]? {
    get { properties[\.recordZoneIDs] }
    set { properties[\.recordZoneIDs] = newValue }
  }
  /// The position to continue from in each zone. A zone without a configuration is fetched from the
  /// beginning.
  public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? {
    get { properties[\.configurationsByRecordZoneID] }
    set { properties[\.configurationsByRecordZoneID] = newValue }
  }
  /// Apple has deprecated this property in favour of ``configurationsByRecordZoneID``, which has
  /// priority.
  public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
    get { properties[\.optionsByRecordZoneID] }
    set { properties[\.optionsByRecordZoneID] = newValue }
  }
  /// Whether to fetch all pages; true by default.
  public var fetchAllChanges: Bool {
    get { properties[\.fetchAllChanges] }
    set { properties[\.fetchAllChanges] = newValue }
  }

  /// Apple has deprecated this block. It is not called if ``recordWasChangedBlock`` is set.
  public var recordChangedBlock: ((CKRecord) -> Void)? {
    get { properties[\.recordChangedBlock] }
    set { properties[\.recordChangedBlock] = newValue }
  }
  /// Called for each record that is new or has changed.
  public var recordWasChangedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  {
    get { properties[\.recordWasChangedBlock] }
    set { properties[\.recordWasChangedBlock] = newValue }
  }
  /// Called for each record that has been deleted.
  public var recordWithIDWasDeletedBlock:
    ((_ recordID: CKRecord.ID, _ recordType: CKRecord.RecordType) -> Void)?
  {
    get { properties[\.recordWithIDWasDeletedBlock] }
    set { properties[\.recordWithIDWasDeletedBlock] = newValue }
  }
  /// Called after each page except the last page of a zone. A fetch with the token continues after
  /// the changes that were reported so far.
  public var recordZoneChangeTokensUpdatedBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  {
    get { properties[\.recordZoneChangeTokensUpdatedBlock] }
    set { properties[\.recordZoneChangeTokensUpdatedBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``recordZoneFetchResultBlock`` is set.
  public var recordZoneFetchCompletionBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  {
    get { properties[\.recordZoneFetchCompletionBlock] }
    set { properties[\.recordZoneFetchCompletionBlock] = newValue }
  }
  /// Called once for each zone, after its changes.
  public var recordZoneFetchResultBlock:
    (
      (
        _ recordZoneID: CKRecordZone.ID,
        _ fetchChangesResult: Result<
          (
            serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool
          ), any Error
        >
      ) -> Void
    )?
  {
    get { properties[\.recordZoneFetchResultBlock] }
    set { properties[\.recordZoneFetchResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchRecordZoneChangesResultBlock`` is
  /// set. Errors of single zones arrive as `CKError.partialFailure`.
  public var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.fetchRecordZoneChangesCompletionBlock] }
    set { properties[\.fetchRecordZoneChangesCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchRecordZoneChangesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.fetchRecordZoneChangesResultBlock] }
    set { properties[\.fetchRecordZoneChangesResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that fetches the changes of the given zones.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID]? = nil,
    configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.configurationsByRecordZoneID = configurationsByRecordZoneID
  }

  /// Apple has deprecated this initialiser in favour of
  /// `init(recordZoneIDs:configurationsByRecordZoneID:)`.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.optionsByRecordZoneID = optionsByRecordZoneID
  }

  private func selection(of zoneID: CKRecordZone.ID) -> CKFetchRecordZoneChangesSelection? {
    started.configurationsByRecordZoneID?[zoneID] ?? started.optionsByRecordZoneID?[zoneID]
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let configured = started.configurationsByRecordZoneID.map { Array($0.keys) } ?? []
    var seen: Set<CKRecordZone.ID> = []
    let zoneIDs = (started.recordZoneIDs ?? configured).filter { seen.insert($0).inserted }
    if zoneIDs.isEmpty { return }
    let naming = try await database.naming()
    for zoneID in zoneIDs {
      do throws(CKError) {
        try await fetch(zoneID, from: database, naming: naming)
      } catch {
        guard error.concernsZone else { throw error }
        fail(zoneID, error)
      }
    }
  }

  private func fetch(
    _ zoneID: CKRecordZone.ID, from database: DatabaseCalls, naming: UserNaming
  ) async throws(CKError) {
    let wanted = selection(of: zoneID)
    let isWhole = started.fetchAllChanges
    var feed = ZoneFeed(
      zoneID: zoneID, syncToken: wanted?.previousServerChangeToken?.syncToken,
      resultsLimit: wanted?.resultsLimit ?? 0, desiredKeys: wanted?.desiredKeys)
    while true {
      let page = try await feed.next(from: database, naming: naming)
      try await database.fetchFiles(
        of: page.changes, losing: .operation, record: \.record,
        deliver: { change, error in deliver(change, failing: error) })
      if isWhole && page.moreComing {
        report { [self] in
          started.recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, page.clientToken)
        }
      } else {
        return succeed(zoneID, page)
      }
    }
  }

  /// Choice: if a record's file is missing, ``recordChangedBlock`` gets the record without the
  /// file, because this block takes no error. Continuing from the new token does not fetch the file
  /// again.
  private func deliver(_ change: ZoneFeed.Change, failing error: CKError?) {
    report { [self] in
      switch change {
      case .changed(let recordID, let result):
        if let recordWasChangedBlock = started.recordWasChangedBlock {
          let whole = error.map { error in result.flatMap { _ in .failure(error) } } ?? result
          recordWasChangedBlock(recordID, whole.mapError { $0 })
        } else if case .success(let record) = result {
          started.recordChangedBlock?(record)
        }
      case .deleted(let recordID, let recordType):
        started.recordWithIDWasDeletedBlock?(recordID, recordType)
      }
    }
  }

  private func succeed(_ zoneID: CKRecordZone.ID, _ page: ZoneFeed.Page) {
    report { [self] in
      if let recordZoneFetchResultBlock = started.recordZoneFetchResultBlock {
        recordZoneFetchResultBlock(
          zoneID, .success((page.token, page.clientToken, page.moreComing)))
      } else {
        started.recordZoneFetchCompletionBlock?(
          zoneID, page.token, page.clientToken, page.moreComing, nil)
      }
    }
  }

  private func fail(_ zoneID: CKRecordZone.ID, _ error: CKError) {
    report { [self] in
      errors.add(error, for: zoneID)
      if let recordZoneFetchResultBlock = started.recordZoneFetchResultBlock {
        recordZoneFetchResultBlock(zoneID, .failure(error))
      } else {
        started.recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchRecordZoneChangesResultBlock = started.fetchRecordZoneChangesResultBlock {
      fetchRecordZoneChangesResultBlock(failure.asResult)
    } else {
      started.fetchRecordZoneChangesCompletionBlock?(failure ?? errors.partialFailure)
    }
  }
}
