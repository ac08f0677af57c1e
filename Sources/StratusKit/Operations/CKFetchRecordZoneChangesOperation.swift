public import Foundation
import StratusWire

/// Fetches what happened to the records of some zones.
///
/// Zones are fetched one after another. Tokens that were handed over stay good, even if the
/// operation fails later.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to fetch. Choice: where it is nil, those that have a configuration.
  public var recordZoneIDs: [CKRecordZone.ID]?
  /// Where to go on in each zone; a zone without one is fetched from the beginning.
  public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
  /// Deprecated by Apple for ``configurationsByRecordZoneID``, which comes first where both speak.
  public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  /// Whether to fetch page after page until nothing is left; true by default.
  public var fetchAllChanges = true

  /// Deprecated by Apple for ``recordWasChangedBlock``, which suppresses it.
  public var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that is new or has changed.
  public var recordWasChangedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  /// Called for each record that has been deleted.
  public var recordWithIDWasDeletedBlock:
    ((_ recordID: CKRecord.ID, _ recordType: CKRecord.RecordType) -> Void)?
  /// Called after each page but a zone's last; what came before is covered by the token.
  public var recordZoneChangeTokensUpdatedBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  /// Deprecated by Apple for ``recordZoneFetchResultBlock``, which suppresses it.
  public var recordZoneFetchCompletionBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
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
  /// Deprecated by Apple for ``fetchRecordZoneChangesResultBlock``, which suppresses it. Failures
  /// of single zones come as `CKError.partialFailure`.
  public var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?
  /// Called last. Fails only with the operation as a whole.
  public var fetchRecordZoneChangesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?

  // Only touched on the callback queue.
  private var errors = ItemErrors()

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

  /// Deprecated by Apple for `init(recordZoneIDs:configurationsByRecordZoneID:)`.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.optionsByRecordZoneID = optionsByRecordZoneID
  }

  private func selection(of zoneID: CKRecordZone.ID) -> CKFetchRecordZoneChangesSelection? {
    configurationsByRecordZoneID?[zoneID] ?? optionsByRecordZoneID?[zoneID]
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let configured = configurationsByRecordZoneID.map { Array($0.keys) } ?? []
    var seen: Set<CKRecordZone.ID> = []
    let zoneIDs = (recordZoneIDs ?? configured).filter { seen.insert($0).inserted }
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
    let isWhole = fetchAllChanges
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
          recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, page.clientToken)
        }
      } else {
        return succeed(zoneID, page)
      }
    }
  }

  /// Choice: ``recordChangedBlock``, which takes no error, gets a record without the file that
  /// cannot be had: the token passes over it.
  private func deliver(_ change: ZoneFeed.Change, failing error: CKError?) {
    report { [self] in
      switch change {
      case .changed(let recordID, let result):
        if let recordWasChangedBlock {
          let whole = error.map { error in result.flatMap { _ in .failure(error) } } ?? result
          recordWasChangedBlock(recordID, whole.mapError { $0 })
        } else if case .success(let record) = result {
          recordChangedBlock?(record)
        }
      case .deleted(let recordID, let recordType):
        recordWithIDWasDeletedBlock?(recordID, recordType)
      }
    }
  }

  private func succeed(_ zoneID: CKRecordZone.ID, _ page: ZoneFeed.Page) {
    report { [self] in
      if let recordZoneFetchResultBlock {
        recordZoneFetchResultBlock(
          zoneID, .success((page.token, page.clientToken, page.moreComing)))
      } else {
        recordZoneFetchCompletionBlock?(
          zoneID, page.token, page.clientToken, page.moreComing, nil)
      }
    }
  }

  private func fail(_ zoneID: CKRecordZone.ID, _ error: CKError) {
    report { [self] in
      errors.add(error, for: zoneID)
      if let recordZoneFetchResultBlock {
        recordZoneFetchResultBlock(zoneID, .failure(error))
      } else {
        recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchRecordZoneChangesResultBlock {
      fetchRecordZoneChangesResultBlock(failure.asResult)
    } else {
      fetchRecordZoneChangesCompletionBlock?(failure ?? errors.partialFailure)
    }
  }

  override func releaseBlocks() {
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
