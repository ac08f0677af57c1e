import StratusWire

/// Answers `zones/list`.
struct ListZonesHandler: EndpointHandler {
  typealias Endpoint = ListZones

  let databases: DatabaseAccess

  func answer(
    _ request: ListZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ListZones.Response {
    let database = try await databases.open(address, for: caller, to: .read)
    return try await database.store.read { (store) throws(ServerError) in
      let presenter = ZonePresenter(caller: caller, epoch: try store.epoch(of: database.view))
      var items: [ZoneItem] = []
      switch database.view {
      case .shared(let user):
        let zones = try store.sharedZones(of: user, after: 0, limit: Limits.zonesPerDatabaseMax)
        for zone in zones {
          let access = try database.access(to: zone.address, of: store)
          items.append(try presenter.item(access, in: store))
        }
      case .public:
        items = [presenter.defaultZone(of: .public)]
      case .private(let user):
        let key = DatabaseKey.private(owner: user)
        let zones = try store.zones(in: key, after: nil, limit: Limits.zonesPerDatabaseMax)
        items = [presenter.defaultZone(of: key)]
        let shares = try store.zoneShares(in: key)
        items += zones.filter { !$0.isDefault }.map { zone in
          presenter.item(zone, share: shares[zone.id])
        }
      }
      return ListZones.Response(zones: items.map(\.listed))
    }
  }
}

extension ZoneItem {
  /// The form in which Apple's service lists zones: without `atomic`, which other answers contain.
  fileprivate var listed: ZoneItem {
    switch self {
    case .zone(var zone):
      zone.isAtomic = nil
      return .zone(zone)
    case .failure: return self
    }
  }
}
