import StratusWire

/// Answers `encryption/keys`.
struct FetchKeysHandler: EndpointHandler {
  typealias Endpoint = FetchKeys

  let databases: DatabaseAccess

  func answer(
    _ request: FetchKeys.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchKeys.Response {
    guard request.zones.count <= Limits.zonesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.requirePrivate()
    let user = try caller.requireUser()
    return try await database.store.read { (store) throws(ServerError) in
      var zones: [FetchKeys.ZoneKeys] = []
      for zoneID in request.zones {
        let name = try database.zoneName(zoneID)
        let zone = try store.zone(named: name, in: database.key)
        zones.append(
          FetchKeys.ZoneKeys(
            zoneID: database.zoneID(name),
            keys: try zone.map { (zone) throws(ServerError) in try store.zoneKeys(of: zone) }
              ?? []))
      }
      return FetchKeys.Response(
        userRecordName: user, publicKey: try store.userKey(of: user), zones: zones)
    }
  }
}
