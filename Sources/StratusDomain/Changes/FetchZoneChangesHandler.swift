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
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.view.requireHistory()
    return try await database.store.read { (store) throws(ServerError) in
      let history = ZoneHistory(database: database, store: store)
      var items: [ZoneChangesItem] = []
      var room = Limits.responseSizeBytesMax
      var count = Limits.recordsPerResponseMax
      for item in request.zones {
        do throws(ServerError) {
          let limit = min(item.selection.resultsLimit ?? count, count)
          let page = try history.page(
            item.zoneID, since: item.syncToken, selection: item.selection, limit: limit,
            sizeBytesMax: room)
          room = max(1, room - page.sizeBytes)
          count = max(1, count - page.records.count)
          items.append(.changes(page))
        } catch {
          // NB: a fault of the store is no property of a zone.
          if error.code == .internalError || error.code == .tryAgainLater { throw error }
          items.append(.failure(item.zoneID, error.dictionary(for: caller)))
        }
      }
      return FetchZoneChanges.Response(zones: items)
    }
  }
}

extension ZoneChanges {
  /// Bytes of the fields in it.
  fileprivate var sizeBytes: Int {
    records.reduce(0) { sum, item in
      switch item {
      case .record(let record): sum + record.fields.text.count
      case .deleted, .failure: sum
      }
    }
  }
}
