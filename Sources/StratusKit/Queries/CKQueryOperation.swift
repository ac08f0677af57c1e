import Foundation
import StratusWire

/// Fetches one page of a query's records, in the query's order.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var query: CKQuery?
    var cursor: CKQueryOperation.Cursor?
    var zoneID: CKRecordZone.ID?
    var resultsLimit = CKQueryOperation.maximumResults
    var desiredKeys: [CKRecord.FieldKey]?
    var recordFetchedBlock: ((CKRecord) -> Void)?
    var recordMatchedBlock:
      ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)?
    var queryResultBlock:
      ((_ operationResult: Result<CKQueryOperation.Cursor?, any Error>) -> Void)?

    mutating func detach() { query = query?.copy() as? CKQuery }

    mutating func releaseBlocks() {
      recordFetchedBlock = nil
      recordMatchedBlock = nil
      queryCompletionBlock = nil
      queryResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The position in a query's records at which the next page begins.
  public typealias Cursor = CKQueryCursor

  /// The value 0, which lets the server decide how many records it returns.
  public static let maximumResults = 0

  /// The query to run. The property is ignored if a cursor is set.
  public var query: CKQuery? {
    get { properties[\.query] }
    set { properties[\.query] = newValue?.copy() as? CKQuery }
  }
  /// The cursor that came with the previous page; nil for the first page.
  public var cursor: CKQueryOperation.Cursor? {
    get { properties[\.cursor] }
    set { properties[\.cursor] = newValue?.copy() as? CKQueryOperation.Cursor }
  }
  /// The zone to search; nil, the default, means all zones of the database. The property is ignored
  /// if a cursor is set.
  public var zoneID: CKRecordZone.ID? {
    get { properties[\.zoneID] }
    set { properties[\.zoneID] = newValue?.copy() as? CKRecordZone.ID }
  }
  /// The maximum number of records; 0, the default, lets the server decide. A page may have fewer
  /// records even if more are available.
  public var resultsLimit: Int {
    get { properties[\.resultsLimit] }
    set { properties[\.resultsLimit] = newValue }
  }
  /// The fields to fetch. The default nil means all fields, and an empty array means no fields.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { properties[\.desiredKeys] }
    set { properties[\.desiredKeys] = newValue }
  }

  /// Apple has deprecated this block. It is not called if ``recordMatchedBlock`` is set.
  public var recordFetchedBlock: ((CKRecord) -> Void)? {
    get { properties[\.recordFetchedBlock] }
    set { properties[\.recordFetchedBlock] = newValue }
  }
  /// Called once for each record, in order.
  public var recordMatchedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  {
    get { properties[\.recordMatchedBlock] }
    set { properties[\.recordMatchedBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``queryResultBlock`` is set.
  public var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)? {
    get { properties[\.queryCompletionBlock] }
    set { properties[\.queryCompletionBlock] = newValue }
  }
  /// Called last, with the cursor of the next page. The cursor is nil if there are no more records.
  public var queryResultBlock:
    ((_ operationResult: Result<CKQueryOperation.Cursor?, any Error>) -> Void)?
  {
    get { properties[\.queryResultBlock] }
    set { properties[\.queryResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var next: CKQueryCursor?
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that fetches a query's first page.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// Makes an operation that fetches the next page of a query.
  public convenience init(cursor: CKQueryOperation.Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let started = started
    if started.query == nil, started.cursor == nil {
      throw CKError.malformed("neither query nor cursor is set")
    }
    let naming = try await database.naming()
    var pages: QueryPages
    if let cursor = started.cursor {
      pages = try QueryPages(continuing: cursor)
    } else if let query = started.query {
      pages = try QueryPages(query, in: started.zoneID, naming: naming)
    } else {
      return
    }
    let page = try await pages.next(
      from: database, resultsLimit: started.resultsLimit, desiredKeys: started.desiredKeys)
    var results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
    for item in page.items {
      switch item {
      case .record(let dictionary):
        let record = try RecordFactory.record(wire: dictionary, naming: naming)
        results.append((record.recordID, .success(record)))
      case .failure(let failure):
        let recordID = CKRecord.ID(
          recordName: failure.recordName, zoneID: started.zoneID ?? .default)
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
      if let recordMatchedBlock = started.recordMatchedBlock {
        recordMatchedBlock(recordID, result.mapError { $0 })
      } else if case .success(let record) = result {
        started.recordFetchedBlock?(record)
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let queryResultBlock = started.queryResultBlock {
      queryResultBlock(failure.asResult.map { next })
    } else {
      started.queryCompletionBlock?(
        failure == nil ? next : nil, failure ?? errors.partialFailure)
    }
  }
}
