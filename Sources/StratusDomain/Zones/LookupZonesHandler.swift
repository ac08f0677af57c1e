import StratusWire

/// Answers `zones/lookup`, which is refused to who is not signed in (wire-quirks C18).
struct LookupZonesHandler: EndpointHandler {
  typealias Endpoint = LookupZones

  let databases: DatabaseAccess

  func answer(
    _ request: LookupZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> LookupZones.Response {
    guard request.zones.count <= Limits.zonesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, needsUser: true)
    return try await database.store.read { (store) throws(ServerError) in
      let presenter = ZonePresenter(database: database, epoch: try store.epoch(of: database.key))
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
    guard let name = try? database.zoneName(zoneID) else {
      return presenter.failure(zoneID, ServerError(.zoneNotFound, Reason.zoneNotFound))
    }
    if let zone = try store.zone(named: name, in: database.key) { return presenter.item(zone) }
    if name == ZoneID.defaultZoneName { return presenter.defaultZone }
    return presenter.failure(zoneID, try store.missingZone(named: name, in: database.key))
  }
}
