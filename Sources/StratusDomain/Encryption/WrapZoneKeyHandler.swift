import StratusWire

/// Answers `encryption/wrap`: who comes first wins.
struct WrapZoneKeyHandler: EndpointHandler {
  typealias Endpoint = WrapZoneKey

  let databases: DatabaseAccess

  func answer(
    _ request: WrapZoneKey.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> WrapZoneKey.Response {
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.requirePrivate()
    let user = try caller.requireUser()
    let name = try database.zoneName(request.zoneID)
    return try await database.store.write { (store) throws(ServerError) in
      guard try store.userKey(of: user) == request.key.recipient else {
        throw ServerError(.conflict, Reason.userKeyChanged)
      }
      var zone = try store.lockZone(named: name, in: database.key)
      if zone == nil, name == ZoneID.defaultZoneName {
        zone = try store.createZone(named: name, in: database.key)
      }
      guard let zone else { throw try store.missingZone(named: name, in: database.key) }
      var keys = try store.zoneKeys(of: zone)
      if keys.isEmpty {
        try store.add(request.key, to: zone)
        keys = [request.key]
      }
      return FetchKeys.ZoneKeys(zoneID: database.zoneID(name), keys: keys)
    }
  }
}
