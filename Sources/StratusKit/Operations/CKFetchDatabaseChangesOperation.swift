/// Fetches the IDs of those zones of a database that were created, changed or deleted.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var previousServerChangeToken: CKServerChangeToken?
    var resultsLimit = 0
    var fetchAllChanges = true
    var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?
    var fetchDatabaseChangesResultBlock:
      (
        (
          _ operationResult: Result<
            (serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error
          >
        ) -> Void
      )?

    mutating func releaseBlocks() {
      recordZoneWithIDChangedBlock = nil
      recordZoneWithIDWasDeletedBlock = nil
      recordZoneWithIDWasPurgedBlock = nil
      recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = nil
      changeTokenUpdatedBlock = nil
      fetchDatabaseChangesCompletionBlock = nil
      fetchDatabaseChangesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The change token of the last fetch; nil to fetch from the beginning.
  public var previousServerChangeToken: CKServerChangeToken? {
    get { properties[\.previousServerChangeToken] }
    set { properties[\.previousServerChangeToken] = newValue }
  }
  /// The maximum number of zones in one page; 0, the default, lets the server decide.
  public var resultsLimit: Int {
    get { properties[\.resultsLimit] }
    set { properties[\.resultsLimit] = newValue }
  }
  /// Whether to fetch all pages; true by default.
  public var fetchAllChanges: Bool {
    get { properties[\.fetchAllChanges] }
    set { properties[\.fetchAllChanges] = newValue }
  }

  /// Called for each zone that is new or has changed.
  public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)? {
    get { properties[\.recordZoneWithIDChangedBlock] }
    set { properties[\.recordZoneWithIDChangedBlock] = newValue }
  }
  /// Called for each zone that has been deleted. This includes zones that were purged or deleted by
  /// a reset, if the block for that kind of deletion is not set.
  public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)? {
    get { properties[\.recordZoneWithIDWasDeletedBlock] }
    set { properties[\.recordZoneWithIDWasDeletedBlock] = newValue }
  }
  /// Called for a zone that the user has purged, instead of the block for deleted zones.
  ///
  /// Choice: of all Stratus servers, only the test server of `StratusTesting` reports this kind of
  /// deletion.
  public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)? {
    get { properties[\.recordZoneWithIDWasPurgedBlock] }
    set { properties[\.recordZoneWithIDWasPurgedBlock] = newValue }
  }
  /// Called for a zone that was deleted because the user reset the encrypted data, for example
  /// after losing the keys. This block is called instead of the block for deleted zones. Create the
  /// zone again, and upload the data that this device still has.
  public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock:
    ((CKRecordZone.ID) -> Void)?
  {
    get { properties[\.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock] }
    set { properties[\.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock] = newValue }
  }
  /// Called after each page. A fetch with the token continues after the changes that were reported
  /// so far.
  public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)? {
    get { properties[\.changeTokenUpdatedBlock] }
    set { properties[\.changeTokenUpdatedBlock] = newValue }
  }
  /// Called last, unless ``fetchDatabaseChangesResultBlock`` is set. Apple has deprecated this
  /// block in favour of ``fetchDatabaseChangesResultBlock``.
  public var fetchDatabaseChangesCompletionBlock:
    ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  {
    get { properties[\.fetchDatabaseChangesCompletionBlock] }
    set { properties[\.fetchDatabaseChangesCompletionBlock] = newValue }
  }
  /// Called last. The result contains the token to continue from, and says whether more changes
  /// are available.
  public var fetchDatabaseChangesResultBlock:
    (
      (
        _ operationResult: Result<
          (serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error
        >
      ) -> Void
    )?
  {
    get { properties[\.fetchDatabaseChangesResultBlock] }
    set { properties[\.fetchDatabaseChangesResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var last: (token: CKServerChangeToken, moreComing: Bool)?

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that continues from the given token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let naming = try await database.naming()
    let isWhole = started.fetchAllChanges
    var syncToken = started.previousServerChangeToken?.syncToken
    while true {
      let page = try await database.databaseChanges(
        since: syncToken, resultsLimit: started.resultsLimit, naming: naming)
      deliver(page)
      guard isWhole && page.moreComing else { return }
      // NB: this check prevents an endless loop if a server returns the same token again.
      guard page.token != syncToken else { throw CKError.badAnswer }
      syncToken = page.token
    }
  }

  private func deliver(_ page: DatabasePage) {
    report { [self] in
      for change in page.changes {
        switch change {
        case .changed(let zoneID): started.recordZoneWithIDChangedBlock?(zoneID)
        case .deleted(let deletion): deliver(deletion)
        }
      }
      let token = CKServerChangeToken(syncToken: page.token)
      last = (token, page.moreComing)
      started.changeTokenUpdatedBlock?(token)
    }
  }

  private func deliver(_ deletion: CKDatabase.DatabaseChange.Deletion) {
    let blocks = started
    let block =
      switch deletion.reason {
      case .deleted: blocks.recordZoneWithIDWasDeletedBlock
      case .purged:
        blocks.recordZoneWithIDWasPurgedBlock ?? blocks.recordZoneWithIDWasDeletedBlock
      case .encryptedDataReset:
        blocks.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock
          ?? blocks.recordZoneWithIDWasDeletedBlock
      }
    block?(deletion.zoneID)
  }

  override func conclude(with failure: CKError?) {
    let failure = failure ?? (last == nil ? CKError.badAnswer : nil)
    if let fetchDatabaseChangesResultBlock = started.fetchDatabaseChangesResultBlock {
      if let last, failure == nil {
        fetchDatabaseChangesResultBlock(.success((last.token, last.moreComing)))
      } else {
        fetchDatabaseChangesResultBlock(.failure(failure ?? CKError.badAnswer))
      }
    } else {
      started.fetchDatabaseChangesCompletionBlock?(
        last?.token ?? started.previousServerChangeToken,
        failure == nil && last?.moreComing == true, failure)
    }
  }
}
