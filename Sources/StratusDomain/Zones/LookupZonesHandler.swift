import StratusWire

/// Answers `zones/lookup`, which requires a signed-in user.
struct LookupZonesHandler: EndpointHandler {
  typealias Endpoint = LookupZones

  let databases: DatabaseAccess

  func answer(
    _ request: LookupZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> LookupZones.Response {
    guard request.zones.count <= Limits.zonesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    return try await database.store.read { (store) throws(ServerError) in
      let presenter = ZonePresenter(caller: caller, epoch: try store.epoch(of: database.view))
      var items: [ZoneItem] = []
      for zoneID in request.zones {
        items.append(try look(up: zoneID, in: database, of: store, presenter))
      }
      return LookupZones.Response(zones: items)
    }
  }

  private func look(
    up zoneID: ZoneID, in database: OpenDatabase, of store: any StoreReading,
    _ presenter: ZonePresenter
  ) throws(ServerError) -> ZoneItem {
    do throws(ServerError) {
      let access = try database.access(to: try database.zoneAddress(zoneID), of: store)
      return try presenter.item(access, in: store)
    } catch {
      guard error.code == .zoneNotFound else { throw error }
      return presenter.failure(zoneID, error)
    }
  }
}
