import Foundation
import StratusWire

/// Fetches one page of a query's records, in the query's order.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  /// Where a page ended.
  public typealias Cursor = CKQueryCursor

  /// Asks for as many records as the server gives: 0.
  public static let maximumResults = 0

  /// Which records are wanted; without effect beside a cursor.
  @NSCopying public var query: CKQuery?
  /// Where the page before ended; nil: this is the first.
  @NSCopying public var cursor: CKQueryOperation.Cursor?
  /// The zone that is searched; nil, the default: all zones of the database. Without effect beside
  /// a cursor.
  @NSCopying public var zoneID: CKRecordZone.ID?
  /// Records at most; a page may hold fewer although there are more.
  public var resultsLimit = CKQueryOperation.maximumResults
  /// The fields to fetch; nil: all, empty: none.
  public var desiredKeys: [CKRecord.FieldKey]?

  /// Deprecated by Apple for ``recordMatchedBlock``, which suppresses it.
  public var recordFetchedBlock: ((CKRecord) -> Void)?
  /// Called once for each record, in order.
  public var recordMatchedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  /// Deprecated by Apple for ``queryResultBlock``, which suppresses it.
  public var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)?
  /// Called last, with the place to go on from; nil: there is no more.
  public var queryResultBlock:
    ((_ operationResult: Result<CKQueryOperation.Cursor?, any Error>) -> Void)?

  // Only touched on the callback queue.
  private var next: CKQueryCursor?
  private var errors = ItemErrors()

  public override init() { super.init() }

  /// Makes an operation that fetches a query's first page.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// Makes an operation that fetches the page after another.
  public convenience init(cursor: CKQueryOperation.Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    if query == nil, cursor == nil {
      throw CKError.malformed("neither query nor cursor is set")
    }
    let naming = try await database.naming()
    var pages: QueryPages
    if let cursor {
      pages = try QueryPages(continuing: cursor)
    } else if let query {
      pages = try QueryPages(query, in: zoneID, naming: naming)
    } else {
      return
    }
    let page = try await pages.next(
      from: database, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
    var results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
    for item in page.items {
      switch item {
      case .record(let dictionary):
        let record = try CKRecord(wire: dictionary, naming: naming)
        results.append((record.recordID, .success(record)))
      case .failure(let failure):
        let recordID = CKRecord.ID(
          recordName: failure.recordName, zoneID: zoneID ?? .default)
        results.append((recordID, .failure(CKError(failure.error))))
      case .deleted: throw CKError.badAnswer
      }
    }
    try await database.openValues(of: results.compactMap { try? $0.result.get() })
    try await database.fetchFiles(
      of: results, losing: .record, record: { try? $0.result.get() },
      deliver: { item, error in
        deliver(error.map(Result.failure) ?? item.result, of: item.recordID)
      })
    report { [self] in next = page.cursor }
  }

  private func deliver(_ result: Result<CKRecord, CKError>, of recordID: CKRecord.ID) {
    report { [self] in
      if case .failure(let error) = result { errors.add(error, for: recordID) }
      if let recordMatchedBlock {
        recordMatchedBlock(recordID, result.mapError { $0 })
      } else if case .success(let record) = result {
        recordFetchedBlock?(record)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let queryResultBlock {
      queryResultBlock(failure.asResult.map { next })
    } else {
      queryCompletionBlock?(
        failure == nil ? next : nil, failure ?? errors.partialFailure)
    }
  }

  override func releaseBlocks() {
    recordFetchedBlock = nil
    recordMatchedBlock = nil
    queryCompletionBlock = nil
    queryResultBlock = nil
  }
}
