import StratusWire

/// Fetches records by their IDs.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var recordIDs: [CKRecord.ID]?
    var desiredKeys: [CKRecord.FieldKey]?
    var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    var perRecordResultBlock:
      ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
    var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    var wantsCurrentUser = false

    mutating func releaseBlocks() {
      perRecordProgressBlock = nil
      perRecordCompletionBlock = nil
      perRecordResultBlock = nil
      fetchRecordsCompletionBlock = nil
      fetchRecordsResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The records to fetch, from any zones.
  ///
  /// Choice: the record name `CKCurrentUserDefaultName` stands for the current user's record.
  /// Fetched records contain this name as their creator if the current user created them.
  public var recordIDs: [CKRecord.ID]? {
    get { properties[\.recordIDs] }
    set { properties[\.recordIDs] = newValue }
  }
  /// The fields to fetch. The default nil means all fields, and an empty array means no fields.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { properties[\.desiredKeys] }
    set { properties[\.desiredKeys] = newValue }
  }

  /// Called with values below 1 while a record's files arrive, and with 1 when the record is
  /// complete.
  public var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)? {
    get { properties[\.perRecordProgressBlock] }
    set { properties[\.perRecordProgressBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``perRecordResultBlock`` is set.
  public var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)? {
    get { properties[\.perRecordCompletionBlock] }
    set { properties[\.perRecordCompletionBlock] = newValue }
  }
  /// Called once for each record.
  public var perRecordResultBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  {
    get { properties[\.perRecordResultBlock] }
    set { properties[\.perRecordResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchRecordsResultBlock`` is set.
  /// Errors of single records arrive as `CKError.partialFailure`.
  public var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)? {
    get { properties[\.fetchRecordsCompletionBlock] }
    set { properties[\.fetchRecordsCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)? {
    get { properties[\.fetchRecordsResultBlock] }
    set { properties[\.fetchRecordsResultBlock] = newValue }
  }

  final var wantsCurrentUser: Bool {
    get { properties[\.wantsCurrentUser] }
    set { properties[\.wantsCurrentUser] = newValue }
  }
  // Accessed only on the callback queue.
  private var fetched: [CKRecord.ID: CKRecord] = [:]
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public required override init() { super.init() }

  /// Makes an operation that fetches the given records.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// Returns an operation that fetches the user's own record.
  open class func fetchCurrentUserRecordOperation() -> Self {
    let operation = Self()
    operation.wantsCurrentUser = true
    return operation
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let wanted: [CKRecord.ID]
    if started.wantsCurrentUser {
      let name = try await database.path.fetchCaller(options: database.options)
      wanted = [CKRecord.ID(recordName: name)]
    } else {
      wanted = started.recordIDs ?? []
    }
    var seen: Set<CKRecord.ID> = []
    let unique = wanted.filter { seen.insert($0).inserted }
    guard unique.count <= Limits.lookupsPerRequestMax else {
      throw CKError.tooLarge(
        "\(unique.count) records; one operation accepts at most \(Limits.lookupsPerRequestMax)")
    }
    if unique.isEmpty { return }
    let naming = try await database.naming()
    for recordIDs in unique.grouped(by: \.zoneID) {
      try await fetch(recordIDs, from: database, naming: naming)
    }
  }

  private func fetch(
    _ recordIDs: [CKRecord.ID], from database: DatabaseCalls, naming: UserNaming
  ) async throws(CKError) {
    let request = LookupRecords.Request(
      zoneID: recordIDs.first?.zoneID.wire,
      recordNames: recordIDs.map { naming.known($0.recordName) },
      selection: FieldSelection(desiredKeys: started.desiredKeys.map(Set.init)))
    let response: RecordsResponse
    do throws(CKError) {
      response = try await database.send(LookupRecords.self, request)
    } catch {
      guard error.concernsZone else { throw error }
      for recordID in recordIDs { deliver(.failure(error), of: recordID) }
      return
    }
    guard response.records.count == recordIDs.count else { throw CKError.badAnswer }
    var results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
    // Records that did not fit into the response. They are requested again when the others have
    // been delivered.
    var rest: [CKRecord.ID] = []
    for (recordID, item) in zip(recordIDs, response.records) {
      switch item {
      case .record(let dictionary):
        let record = try RecordFactory.record(wire: dictionary, naming: naming)
        results.append((recordID, .success(record)))
      case .deleted: results.append((recordID, .failure(CKError(.unknownItem))))
      case .failure(let failure) where failure.error.reason == Reason.answerTooLarge:
        rest.append(recordID)
      case .failure(let failure): results.append((recordID, .failure(CKError(failure.error))))
      }
    }
    try await database.openValues(of: results.compactMap { try? $0.result.get() })
    try await database.fetchFiles(
      of: results, losing: .record, record: { try? $0.result.get() },
      progress: { [self] item, progress in
        report { [self] in started.perRecordProgressBlock?(item.recordID, progress) }
      },
      deliver: { item, error in
        deliver(error.map(Result.failure) ?? item.result, of: item.recordID)
      })
    if rest.isEmpty { return }
    // NB: this check prevents an endless loop if a server returns none of the requested records.
    guard rest.count < recordIDs.count else { throw CKError.badAnswer }
    try await fetch(rest, from: database, naming: naming)
  }

  private func deliver(_ result: Result<CKRecord, CKError>, of recordID: CKRecord.ID) {
    report { [self] in
      switch result {
      case .success(let record):
        fetched[recordID] = record
        started.perRecordProgressBlock?(recordID, 1)
      case .failure(let error): errors.add(error, for: recordID)
      }
      if let perRecordResultBlock = started.perRecordResultBlock {
        perRecordResultBlock(recordID, result.mapError { $0 })
      } else {
        result.mapError { $0 as any Error }.report(to: { record, error in
          started.perRecordCompletionBlock?(record, recordID, error)
        })
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchRecordsResultBlock = started.fetchRecordsResultBlock {
      fetchRecordsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && fetched.isEmpty
      started.fetchRecordsCompletionBlock?(
        isEmpty ? nil : fetched, failure ?? errors.partialFailure)
    }
  }
}

extension Array {
  /// Returns groups of elements with equal keys, in the order in which keys first appear.
  func grouped(by key: (Element) -> some Hashable) -> [[Element]] {
    var groups: [[Element]] = []
    var indices: [AnyHashable: Int] = [:]
    for element in self {
      let key = AnyHashable(key(element))
      if let index = indices[key] {
        groups[index].append(element)
      } else {
        indices[key] = groups.count
        groups.append([element])
      }
    }
    return groups
  }
}
