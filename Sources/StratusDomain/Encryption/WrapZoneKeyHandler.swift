import StratusWire

/// Answers `encryption/wrap`. If the zone has a key already, the request does not replace it.
struct WrapZoneKeyHandler: EndpointHandler {
  typealias Endpoint = WrapZoneKey

  let databases: DatabaseAccess

  func answer(
    _ request: WrapZoneKey.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> WrapZoneKey.Response {
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.view.requireOwnKeys()
    let user = try caller.requireUser()
    let address = try database.zoneAddress(request.zoneID)
    return try await database.store.write { (store) throws(ServerError) in
      guard try store.userKey(of: user) == request.key.recipient else {
        throw ServerError(.conflict, Reason.userKeyChanged)
      }
      let access = try database.lockedAccess(to: address, of: store)
      let zone =
        if let zone = access.zone { zone } else {
          try store.createZone(named: address.name, in: address.database)
        }
      var keys = try store.zoneKeys(of: zone)
      if keys.isEmpty {
        try store.add(request.key, to: zone)
        keys = [request.key]
      }
      return FetchKeys.ZoneKeys(zoneID: address.id, keys: keys)
    }
  }
}
