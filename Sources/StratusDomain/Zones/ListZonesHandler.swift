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
      // The zones of a shared database are those that the caller participates in: none yet.
      guard let key = database.view.database else { return ListZones.Response(zones: []) }
      let presenter = ZonePresenter(caller: caller, epoch: try store.epoch())
      let zones = try store.zones(in: key, after: nil, limit: Limits.zonesPerDatabaseMax)
      let items =
        [presenter.defaultZone(of: key)] + zones.filter { !$0.isDefault }.map(presenter.item)
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
