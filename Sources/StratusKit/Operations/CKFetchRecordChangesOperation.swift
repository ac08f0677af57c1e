public import Foundation
import StratusWire

/// Fetches one page of what happened to the records of a zone.
///
/// Deprecated by Apple for ``CKFetchRecordZoneChangesOperation``, with which it shares its tokens.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zone to fetch.
  public var recordZoneID: CKRecordZone.ID?
  /// Where the last fetch ended; nil: from the beginning.
  public var previousServerChangeToken: CKServerChangeToken?
  /// Records in the page; 0, the default: as many as the server gives.
  public var resultsLimit = 0
  /// The fields to fetch; nil: all, empty: none.
  public var desiredKeys: [CKRecord.FieldKey]?

  /// Called for each record that is new or has changed.
  public var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that has been deleted.
  public var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
  /// Called last, with the token to go on from.
  public var fetchRecordChangesCompletionBlock:
    ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  // Only touched on the callback queue.
  private var page: ZoneFeed.Page?

  /// Whether there is more after this page; known when the final block is called.
  public var moreComing: Bool { page?.moreComing ?? false }

  public override init() { super.init() }

  /// Makes an operation that goes on from the given place.
  public convenience init(
    recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    self.recordZoneID = recordZoneID
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    guard let recordZoneID else { throw CKError.malformed("recordZoneID is not set") }
    let naming = try await database.naming()
    var feed = ZoneFeed(
      zoneID: recordZoneID, syncToken: previousServerChangeToken?.syncToken,
      resultsLimit: resultsLimit, desiredKeys: desiredKeys)
    let page = try await feed.next(from: database, naming: naming)
    try await database.fetchFiles(
      of: page.changes, losing: .operation, record: \.record,
      // NB: without the file that cannot be had, since there is no block for the error.
      deliver: { change, _ in deliver(change) })
    report { [self] in self.page = page }
  }

  private func deliver(_ change: ZoneFeed.Change) {
    report { [self] in
      switch change {
      case .changed(_, .success(let record)): recordChangedBlock?(record)
      case .changed(_, .failure): break
      case .deleted(let recordID, _): recordWithIDWasDeletedBlock?(recordID)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    fetchRecordChangesCompletionBlock?(
      failure == nil ? page?.token : nil, failure == nil ? page?.clientToken : nil, failure)
  }

  override func releaseBlocks() {
    recordChangedBlock = nil
    recordWithIDWasDeletedBlock = nil
    fetchRecordChangesCompletionBlock = nil
  }
}
