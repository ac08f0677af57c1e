import StratusWire

/// Answers `zones/list`.
struct ListZonesHandler: EndpointHandler {
  typealias Endpoint = ListZones

  let databases: DatabaseAccess

  func answer(
    _ request: ListZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ListZones.Response {
    let database = try await databases.open(address, for: caller)
    return try await database.store.read { (store) throws(ServerError) in
      let presenter = ZonePresenter(database: database, epoch: try store.epoch())
      let zones = try store.zones(
        in: database.key, after: nil, limit: Limits.zonesPerDatabaseMax)
      return ListZones.Response(
        zones: [presenter.defaultZone] + zones.filter { !$0.isDefault }.map(presenter.item))
    }
  }
}
