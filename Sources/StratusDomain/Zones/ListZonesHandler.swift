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
      let presenter = ZonePresenter(database: database, epoch: try store.epoch(of: database.key))
      let zones = try store.zones(
        in: database.key, after: nil, limit: Limits.zonesPerDatabaseMax)
      let items = [presenter.defaultZone] + zones.filter { !$0.isDefault }.map(presenter.item)
      return ListZones.Response(zones: items.map(\.listed))
    }
  }
}

extension ZoneItem {
  /// As the live service lists zones: without `atomic`, which it shows elsewhere (web-services
  /// §4.8).
  fileprivate var listed: ZoneItem {
    switch self {
    case .zone(var zone):
      zone.isAtomic = nil
      return .zone(zone)
    case .failure: return self
    }
  }
}
