import StratusWire

/// Answers `records/query`. If the indexes are ready, one read is usually enough. Otherwise the
/// handler builds the indexes first.
///
/// A page that takes long is read in slices. Each slice is a read of its own, so that other
/// requests can read in between. The first slices of a caller's queries may be read at the same
/// time. The caller's further slices are read one at a time.
struct QueryRecordsHandler: EndpointHandler {
  typealias Endpoint = QueryRecords

  let databases: DatabaseAccess
  private let queue = IndexBuildQueue()
  /// Queues the slices of each caller's long queries. In its keys, the caller's ``Caller/paceKey``
  /// takes the place of the record type.
  private let slices = IndexBuildQueue()
  let uses: IndexUses

  /// See ``LimitSettings/indexBuildRowsMax``.
  private let buildRowsMax: Int

  init(databases: DatabaseAccess, buildRowsMax: Int, uses: IndexUses = IndexUses()) {
    self.databases = databases
    self.buildRowsMax = buildRowsMax
    self.uses = uses
  }

  /// The maximum number of attempts of one request. The first attempts find out which indexes are
  /// missing. More attempts are needed only if other requests change the indexes at the same time.
  private static let attemptsMax = 8

  func answer(
    _ request: QueryRecords.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> QueryRecords.Response {
    caller.work.note(request.query)
    let database = try await databases.open(address, for: caller, to: .read)
    var (answer, work) = try await slice(of: request, in: database, budget: AnswerBudget())
    defer { note(request, answer, work, at: address.store) }
    if !work.isSlice { return answer }
    let limit = min(
      request.resultsLimit ?? Limits.recordsPerResponseMax, Limits.recordsPerResponseMax)
    let key = IndexBuildQueue.Key(store: address.store, recordType: caller.paceKey)
    _ = slices.join(key)
    defer { slices.leave(key) }
    // NB: the loop ends if the request is cancelled, because its client does not read the answer.
    while !Task.isCancelled, work.isSlice, work.steps < Limits.queryStepsMax,
      request.countsOnly || answer.records.count < limit,
      let marker = answer.continuationMarker
    {
      var rest = request
      rest.continuationMarker = marker
      if !request.countsOnly { rest.resultsLimit = limit - answer.records.count }
      _ = await slices.take(key)
      defer { slices.giveBack(key, rows: 0) }
      let (more, moreWork) = try await slice(of: rest, in: database, budget: work.budget)
      answer.add(more)
      work.add(moreWork)
    }
    return answer
  }

  /// Notes the query if it was costly.
  private func note(
    _ request: QueryRecords.Request, _ answer: QueryRecords.Response, _ work: QueryWork,
    at address: StoreAddress
  ) {
    let found = answer.count.flatMap { Int(exactly: $0) } ?? answer.records.count
    uses.costly.note(
      request.query, isUnindexed: work.plan?.candidate.kind == .walk,
      recordsRead: work.recordsRead, found: found, at: address)
  }

  /// Reads a page, or a slice of a page, in one read.
  private func slice(
    of request: QueryRecords.Request, in database: OpenDatabase, budget: AnswerBudget
  ) async throws(ServerError) -> (QueryRecords.Response, QueryWork) {
    let recordType = request.query.recordType
    let builder = IndexBuilder(
      store: database.store, recordType: recordType, queue: queue,
      key: IndexBuildQueue.Key(store: database.address, recordType: recordType))
    var waits = true
    for _ in 0..<Self.attemptsMax {
      let outcome = try await database.store.read { [waits] (store) throws(ServerError) in
        try QueryAttempt(
          request: request, database: database, store: store, waits: waits, budget: budget
        ).run()
      }
      switch outcome {
      case .answered(let response, let work):
        uses.note(work.index, at: database.address)
        database.caller.work.add(steps: work.steps)
        database.caller.work.note(
          work.plan, entriesRead: work.entriesRead, recordsRead: work.recordsRead)
        return (response, work)
      case .needs where !waits: throw Self.isBeingBuilt
      case .needs(let addition, let indexes, let building):
        try await builder.add(addition, indexes: indexes)
        // If the indexes are still not ready, the request has done its part of the building work.
        // From then on, it uses only indexes that are ready.
        waits = try await builder.build(building, rowsMax: buildRowsMax)
      }
    }
    throw Self.isBeingBuilt
  }

  private static let isBeingBuilt = ServerError(
    .tryAgainLater, Reason.indexIsBeingBuilt, retryAfterSeconds: 1)
}

extension QueryRecords.Response {
  /// Adds the next slice of the same page.
  fileprivate mutating func add(_ more: QueryRecords.Response) {
    records += more.records
    continuationMarker = more.continuationMarker
    syncToken = more.syncToken
    if let added = more.count { count = (count ?? 0) + added }
    if let added = more.explanation {
      explanation?.entriesRead += added.entriesRead
      explanation?.recordsRead += added.recordsRead
    }
  }
}

extension QueryWork {
  fileprivate mutating func add(_ more: QueryWork) {
    steps += more.steps
    recordsRead += more.recordsRead
    isSlice = more.isSlice
    budget = more.budget
  }
}
