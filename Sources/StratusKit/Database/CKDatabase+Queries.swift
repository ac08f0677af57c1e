import StratusTransport

extension CKDatabase {
  /// The records of a page in order, and the cursor of the next page.
  typealias QueryPage = (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  )

  /// Fetches the first page of a query.
  ///
  /// - Parameters:
  ///   - zoneID: the zone to search; nil for all zones of the database.
  ///   - desiredKeys: the fields to fetch; nil for all fields.
  ///   - resultsLimit: the maximum number of records. By default, the server decides.
  /// - Throws: `CKError.invalidArguments` for a query that CloudKit does not support, or that uses
  ///   a field without the required index; otherwise the error of the whole request.
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await outcome {
      Self.matching(Self.operation(query, zoneID), desiredKeys, resultsLimit, $0)
    }
  }

  /// Fetches the next page of a query.
  ///
  /// - Throws: the errors of `records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await outcome {
      Self.matching(CKQueryOperation(cursor: queryCursor), desiredKeys, resultsLimit, $0)
    }
  }

  /// Fetches the first page of a query; see
  /// `records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
  @preconcurrency
  public func fetch(
    withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    add(
      Self.matching(
        Self.operation(query, zoneID), desiredKeys, resultsLimit, completionHandler))
  }

  /// Fetches the next page of a query; see
  /// `records(continuingMatchFrom:desiredKeys:resultsLimit:)`.
  @preconcurrency
  public func fetch(
    withCursor queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    add(
      Self.matching(
        CKQueryOperation(cursor: queryCursor), desiredKeys, resultsLimit, completionHandler))
  }

  // Apple's older methods, which return only the first page.

  /// Apple has deprecated this method in favour of
  /// `records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
  @_disfavoredOverload
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    let page: QueryPage = try await records(
      matching: query, inZoneWith: zoneID, desiredKeys: nil)
    return try page.matchResults.map { try $0.1.get() }
  }

  /// Apple has deprecated this method in favour of
  /// `records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    try await records(matching: query, inZoneWith: zoneID)
  }

  /// Apple has deprecated this method in favour of
  /// `fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)`.
  @preconcurrency
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
  ) {
    fetch(withQuery: query, inZoneWith: zoneID) { result in
      result.flatMap { page in Result { try page.matchResults.map { try $0.1.get() } } }
        .report(to: completionHandler)
    }
  }

  // Additions of Stratus.

  /// Returns the number of records that match a query, without fetching the records. This method is
  /// an addition of Stratus.
  ///
  /// - Parameter zoneID: the zone to search; nil for all zones of the database.
  /// - Throws: `CKError.invalidArguments` if the container does not allow counts
  ///   (`stratus container configure`); otherwise the errors of
  ///   `records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
  public func count(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil
  ) async throws -> Int {
    try await outcome { CountOperation(query, in: zoneID, completion: $0) }
  }

  // The operation behind these methods.

  private static func operation(
    _ query: CKQuery, _ zoneID: CKRecordZone.ID?
  ) -> CKQueryOperation {
    let operation = CKQueryOperation(query: query)
    operation.zoneID = zoneID
    return operation
  }

  private static func matching(
    _ operation: CKQueryOperation, _ desiredKeys: [CKRecord.FieldKey]?, _ resultsLimit: Int,
    _ completion: @escaping (Result<QueryPage, any Error>) -> Void
  ) -> CKDatabaseOperation {
    operation.desiredKeys = desiredKeys
    operation.resultsLimit = resultsLimit
    var matches: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    operation.recordMatchedBlock = { matches.append(($0, $1)) }
    operation.queryResultBlock = { result in
      completion(result.map { (matchResults: matches, queryCursor: $0) })
    }
    return operation
  }
}

/// Counts the records that match a query.
private final class CountOperation: CKDatabaseOperation, @unchecked Sendable {
  private let query: CKQuery
  private let zoneID: CKRecordZone.ID?
  private let completion: @Sendable (Result<Int, any Error>) -> Void
  // Accessed only on the callback queue.
  private var total = 0

  init(
    _ query: CKQuery, in zoneID: CKRecordZone.ID?,
    completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    self.query = query
    self.zoneID = zoneID
    self.completion = completion
    super.init()
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let naming = try await database.naming()
    var pages = try QueryPages(query, in: zoneID, naming: naming)
    let counted = try await pages.count(in: database)
    report { [self] in total = counted }
  }

  override func conclude(with failure: CKError?) {
    completion(failure.asResult.map { total })
  }
}
