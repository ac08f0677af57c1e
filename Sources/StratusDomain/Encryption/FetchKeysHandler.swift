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
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireOwnKeys()
    let user = try caller.requireUser()
    return try await database.store.read { (store) throws(ServerError) in
      var zones: [FetchKeys.ZoneKeys] = []
      for zoneID in request.zones {
        let address = try database.zoneAddress(zoneID)
        let zone = try store.zone(named: address.name, in: address.database)
        zones.append(
          FetchKeys.ZoneKeys(
            zoneID: address.id,
            keys: try zone.map { (zone) throws(ServerError) in try store.zoneKeys(of: zone) }
              ?? []))
      }
      return FetchKeys.Response(
        userRecordName: user, publicKey: try store.userKey(of: user), zones: zones)
    }
  }
}
