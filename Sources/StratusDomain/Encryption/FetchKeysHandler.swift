import StratusWire

/// Answers `encryption/keys`.
struct FetchKeysHandler: EndpointHandler {
  typealias Endpoint = FetchKeys

  let databases: DatabaseAccess

  func answer(
    _ request: FetchKeys.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchKeys.Response {
    guard request.zones.count <= Limits.zonesPerRequestMax,
      request.recordNames.count <= Limits.operationsPerRequestMax
    else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireEncryption()
    let user = try caller.requireUser()
    return try await database.store.read { (store) throws(ServerError) in
      var zones: [FetchKeys.ZoneKeys] = []
      for zoneID in request.zones {
        let address = try database.zoneAddress(zoneID)
        zones.append(
          try Self.keys(request, of: address, for: user, database, store)
            ?? FetchKeys.ZoneKeys(zoneID: address.id, keys: []))
      }
      return FetchKeys.Response(
        userRecordName: user, publicKey: try store.userKey(of: user), zones: zones)
    }
  }

  /// Returns the keys of a zone, or nil if the zone does not exist or the caller has no role in it.
  private static func keys(
    _ request: FetchKeys.Request, of address: ZoneAddress, for user: String,
    _ database: OpenDatabase, _ store: any StoreReading
  ) throws(ServerError) -> FetchKeys.ZoneKeys? {
    do throws(ServerError) {
      let access = try database.access(to: address, of: store)
      guard let zone = access.zone else { return nil }
      var keys = try store.keys(of: zone, ofRoot: request.rootRecordName, for: user, access)
      if !request.recordNames.isEmpty {
        keys.roots = try store.roots(of: request.recordNames, in: zone, access)
      }
      return keys
    } catch {
      guard error.code == .zoneNotFound else { throw error }
      return nil
    }
  }
}
