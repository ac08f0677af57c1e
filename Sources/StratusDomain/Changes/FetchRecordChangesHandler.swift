import StratusWire

/// Answers `records/changes`. It works like ``FetchZoneChangesHandler`` for one zone, but an error
/// of the zone fails the request.
struct FetchRecordChangesHandler: EndpointHandler {
  typealias Endpoint = FetchRecordChanges

  let databases: DatabaseAccess

  func answer(
    _ request: FetchRecordChanges.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchRecordChanges.Response {
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireHistory()
    return try await database.store.read { (store) throws(ServerError) in
      let limit = min(
        request.selection.resultsLimit ?? Limits.recordsPerResponseMax,
        Limits.recordsPerResponseMax)
      var budget = AnswerBudget()
      let page = try ZoneHistory(database: database, store: store).page(
        request.zoneID, since: request.syncToken, selection: request.selection, limit: limit,
        sizeBytesMax: Limits.responseSizeBytesMax, budget: &budget
      ).changes
      return FetchRecordChanges.Response(
        records: page.records, syncToken: page.syncToken, moreComing: page.moreComing)
    }
  }
}
