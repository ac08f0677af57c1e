public import Foundation
import StratusWire

/// Fetches one page of the changes of a zone's records.
///
/// Apple has deprecated this operation in favour of ``CKFetchRecordZoneChangesOperation``, which
/// uses the same tokens.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordZoneID: CKRecordZone.ID?
    var previousServerChangeToken: CKServerChangeToken?
    var resultsLimit = 0
    var desiredKeys: [CKRecord.FieldKey]?
    var recordChangedBlock: ((CKRecord) -> Void)?
    var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    mutating func releaseBlocks() {
      recordChangedBlock = nil
      recordWithIDWasDeletedBlock = nil
      fetchRecordChangesCompletionBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The zone whose changes are fetched.
  public var recordZoneID: CKRecordZone.ID? {
    get { properties[\.recordZoneID] }
    set { properties[\.recordZoneID] = newValue }
  }
  /// The change token of the last fetch; nil to fetch from the beginning.
  public var previousServerChangeToken: CKServerChangeToken? {
    get { properties[\.previousServerChangeToken] }
    set { properties[\.previousServerChangeToken] = newValue }
  }
  /// The maximum number of records in the page; 0, the default, lets the server decide.
  public var resultsLimit: Int {
    get { properties[\.resultsLimit] }
    set { properties[\.resultsLimit] = newValue }
  }
  /// The fields to fetch. The default nil means all fields, and an empty array means no fields.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { properties[\.desiredKeys] }
    set { properties[\.desiredKeys] = newValue }
  }

  /// Called for each record that is new or has changed.
  public var recordChangedBlock: ((CKRecord) -> Void)? {
    get { properties[\.recordChangedBlock] }
    set { properties[\.recordChangedBlock] = newValue }
  }
  /// Called for each record that has been deleted.
  public var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)? {
    get { properties[\.recordWithIDWasDeletedBlock] }
    set { properties[\.recordWithIDWasDeletedBlock] = newValue }
  }
  /// Called last, with the token to continue from and the zone's `clientChangeTokenData`, or with
  /// an error.
  public var fetchRecordChangesCompletionBlock:
    ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?
  {
    get { properties[\.fetchRecordChangesCompletionBlock] }
    set { properties[\.fetchRecordChangesCompletionBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var page: ZoneFeed.Page?

  /// Whether there are more changes after this page; valid when the final block is called.
  public var moreComing: Bool { page?.moreComing ?? false }

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that continues from the given token.
  public convenience init(
    recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    self.recordZoneID = recordZoneID
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    guard let recordZoneID = started.recordZoneID else {
      throw CKError.malformed("recordZoneID is not set")
    }
    let naming = try await database.naming()
    var feed = ZoneFeed(
      zoneID: recordZoneID, syncToken: started.previousServerChangeToken?.syncToken,
      resultsLimit: started.resultsLimit, desiredKeys: started.desiredKeys)
    let page = try await feed.next(from: database, naming: naming)
    try await database.fetchFiles(
      of: page.changes, losing: .operation, record: \.record,
      // NB: a record is delivered even if its file is missing, because this operation has no block
      // for the error.
      deliver: { change, _ in deliver(change) })
    report { [self] in self.page = page }
  }

  private func deliver(_ change: ZoneFeed.Change) {
    report { [self] in
      switch change {
      case .changed(_, .success(let record)): started.recordChangedBlock?(record)
      case .changed(_, .failure): break
      case .deleted(let recordID, _): started.recordWithIDWasDeletedBlock?(recordID)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    started.fetchRecordChangesCompletionBlock?(
      failure == nil ? page?.token : nil, failure == nil ? page?.clientToken : nil, failure)
  }
}
