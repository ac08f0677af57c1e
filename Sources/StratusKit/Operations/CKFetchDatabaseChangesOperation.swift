/// Fetches which zones of a database were made, changed or deleted.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// Where the last fetch ended; nil: from the beginning.
  public var previousServerChangeToken: CKServerChangeToken?
  /// Zones in one page; 0, the default: as many as the server gives.
  public var resultsLimit = 0
  /// Whether to fetch page after page until nothing is left; true by default.
  public var fetchAllChanges = true

  /// Called for each zone that is new or has changed.
  public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called for each zone that has been deleted.
  public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called instead for a zone the user has purged.
  ///
  /// Choice: a Stratus server has no such deletions.
  public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called instead for a zone deleted with its keys, because the user had lost them: make the
  /// zone again, and upload what is left on this device.
  public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock:
    ((CKRecordZone.ID) -> Void)?
  /// Called after each page; what came before is covered by the token.
  public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
  /// Deprecated by Apple for ``fetchDatabaseChangesResultBlock``, which suppresses it.
  public var fetchDatabaseChangesCompletionBlock:
    ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  /// Called last, with the token to go on from, and whether there is more.
  public var fetchDatabaseChangesResultBlock:
    (
      (
        _ operationResult: Result<
          (serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error
        >
      ) -> Void
    )?

  // Only touched on the callback queue.
  private var last: (token: CKServerChangeToken, moreComing: Bool)?

  public override init() { super.init() }

  /// Makes an operation that goes on from the given place.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let naming = try await database.naming()
    let isWhole = fetchAllChanges
    var syncToken = previousServerChangeToken?.syncToken
    while true {
      let page = try await database.databaseChanges(
        since: syncToken, resultsLimit: resultsLimit, naming: naming)
      deliver(page)
      guard isWhole && page.moreComing else { return }
      // NB: a server that repeats itself would keep us here for ever.
      guard page.token != syncToken else { throw CKError.badAnswer }
      syncToken = page.token
    }
  }

  private func deliver(_ page: DatabasePage) {
    report { [self] in
      for change in page.changes {
        switch change {
        case .changed(let zoneID): recordZoneWithIDChangedBlock?(zoneID)
        case .deleted(let deletion): deliver(deletion)
        }
      }
      let token = CKServerChangeToken(syncToken: page.token)
      last = (token, page.moreComing)
      changeTokenUpdatedBlock?(token)
    }
  }

  private func deliver(_ deletion: CKDatabase.DatabaseChange.Deletion) {
    let block =
      switch deletion.reason {
      case .deleted: recordZoneWithIDWasDeletedBlock
      case .purged: recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock
      case .encryptedDataReset:
        recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock
          ?? recordZoneWithIDWasDeletedBlock
      }
    block?(deletion.zoneID)
  }

  override func conclude(with failure: CKError?) {
    let failure = failure ?? (last == nil ? CKError.badAnswer : nil)
    if let fetchDatabaseChangesResultBlock {
      if let last, failure == nil {
        fetchDatabaseChangesResultBlock(.success((last.token, last.moreComing)))
      } else {
        fetchDatabaseChangesResultBlock(.failure(failure ?? CKError.badAnswer))
      }
    } else {
      fetchDatabaseChangesCompletionBlock?(
        last?.token ?? previousServerChangeToken, failure == nil && last?.moreComing == true,
        failure)
    }
  }

  override func releaseBlocks() {
    recordZoneWithIDChangedBlock = nil
    recordZoneWithIDWasDeletedBlock = nil
    recordZoneWithIDWasPurgedBlock = nil
    recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = nil
    changeTokenUpdatedBlock = nil
    fetchDatabaseChangesCompletionBlock = nil
    fetchDatabaseChangesResultBlock = nil
  }
}
