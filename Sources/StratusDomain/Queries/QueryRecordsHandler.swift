import StratusWire

/// Answers `records/query`: in one read, where the indexes are there, else after they were built.
struct QueryRecordsHandler: EndpointHandler {
  typealias Endpoint = QueryRecords

  let databases: DatabaseAccess

  /// Bounds the tries of one request, which other requests can only delay.
  private static let attemptsMax = 8

  func answer(
    _ request: QueryRecords.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> QueryRecords.Response {
    let database = try await databases.open(address, for: caller)
    let builder = IndexBuilder(store: database.store, recordType: request.query.recordType)
    for _ in 0..<Self.attemptsMax {
      let outcome = try await database.store.read { (store) throws(ServerError) in
        try QueryAttempt(request: request, database: database, store: store).run()
      }
      switch outcome {
      case .answered(let response): return response
      case .needs(let addition, let indexes, let building):
        try await builder.add(addition, indexes: indexes)
        guard try await builder.build(building, rowsMax: Limits.indexBuildRequestRows) else {
          throw Self.isBeingBuilt
        }
      }
    }
    throw Self.isBeingBuilt
  }

  private static let isBeingBuilt = ServerError(
    .tryAgainLater, Reason.indexIsBeingBuilt, retryAfterSeconds: 1)
}
