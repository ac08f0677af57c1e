import StratusWire

/// Answers `changes/zone`.
struct FetchZoneChangesHandler: EndpointHandler {
  typealias Endpoint = FetchZoneChanges

  let databases: DatabaseAccess

  func answer(
    _ request: FetchZoneChanges.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchZoneChanges.Response {
    guard request.zones.count <= Limits.zonesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireHistory()
    return try await database.store.read { (store) throws(ServerError) in
      let history = ZoneHistory(database: database, store: store)
      var items: [ZoneChangesItem] = []
      var budget = AnswerBudget()
      var bytesLeft = Limits.responseSizeBytesMax
      var count = Limits.recordsPerResponseMax
      for item in request.zones {
        do throws(ServerError) {
          // If the answer has no capacity left, it contains no records of this zone. `moreComing`
          // then makes the client ask again.
          let limit = bytesLeft > 0 ? min(item.selection.resultsLimit ?? count, count) : 0
          let page = try history.page(
            item.zoneID, since: item.syncToken, selection: item.selection, limit: limit,
            sizeBytesMax: bytesLeft, budget: &budget)
          bytesLeft -= page.sizeBytesRead
          count -= page.changes.records.count
          caller.sync.note(page.changes)
          items.append(.changes(page.changes))
        } catch {
          // NB: an error of the store fails the whole request. It is not the error of one zone.
          let isOfZone = error.reason == Reason.hierarchyUnsettled
          if error.code == .internalError || error.code == .tryAgainLater && !isOfZone {
            throw error
          }
          items.append(.failure(item.zoneID, error.dictionary(for: caller)))
        }
      }
      return FetchZoneChanges.Response(zones: items)
    }
  }
}
