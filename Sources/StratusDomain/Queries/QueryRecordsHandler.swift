import StratusWire

/// Answers `records/query`: in one read, where the indexes are there, else after they were built.
struct QueryRecordsHandler: EndpointHandler {
  typealias Endpoint = QueryRecords

  let databases: DatabaseAccess
  private let turns = IndexBuildTurns()

  /// See ``LimitSettings/indexBuildRowsMax``.
  private let buildRowsMax: Int

  init(databases: DatabaseAccess, buildRowsMax: Int) {
    self.databases = databases
    self.buildRowsMax = buildRowsMax
  }

  /// Bounds the tries of one request, which other requests can only delay.
  private static let attemptsMax = 8

  func answer(
    _ request: QueryRecords.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> QueryRecords.Response {
    let database = try await databases.open(address, for: caller)
    let recordType = request.query.recordType
    let builder = IndexBuilder(
      store: database.store, recordType: recordType, turns: turns,
      key: IndexBuildTurns.Key(store: address.store, recordType: recordType))
    var waits = true
    for _ in 0..<Self.attemptsMax {
      let outcome = try await database.store.read { [waits] (store) throws(ServerError) in
        try QueryAttempt(request: request, database: database, store: store, waits: waits).run()
      }
      switch outcome {
      case .answered(let response): return response
      case .needs where !waits: throw Self.isBeingBuilt
      case .needs(let addition, let indexes, let building):
        try await builder.add(addition, indexes: indexes)
        // Once it has done its share, a request is answered by what is ready, if anything is.
        waits = try await builder.build(building, rowsMax: buildRowsMax)
      }
    }
    throw Self.isBeingBuilt
  }

  private static let isBeingBuilt = ServerError(
    .tryAgainLater, Reason.indexIsBeingBuilt, retryAfterSeconds: 1)
}
