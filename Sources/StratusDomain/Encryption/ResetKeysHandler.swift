import StratusWire

/// Answers `encryption/reset`, a bounded number of zones at a time.
struct ResetKeysHandler: EndpointHandler {
  typealias Endpoint = ResetKeys

  let databases: DatabaseAccess
  let ambient: Ambient
  let changes: any Signals

  func answer(
    _ request: ResetKeys.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ResetKeys.Response {
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.view.requireOwnKeys()
    let origin = try caller.origin(now: ambient.now())
    let user = origin.user
    let (response, isWatched) = try await database.store.write { (store) throws(ServerError) in
      let standing = try store.userKey(of: user)
      // NB: repeated after its answer was lost, a finished reset is still a success.
      if standing == request.publicKey {
        return (ResetKeys.Response(zones: [], moreComing: false), false)
      }
      guard standing == request.replacedKey else {
        throw ServerError(.conflict, Reason.userKeyChanged)
      }
      let limit = Limits.zonesPerResponseMax
      let found = try store.zonesWithKeys(in: .private(owner: user), limit: limit)
      var deleted: [ZoneID] = []
      var isWatched = false
      for zone in found {
        if zone.isDefault {
          // The zone that cannot be deleted keeps its records; what they have sealed is lost.
          try store.removeZoneKeys(of: zone)
        } else {
          if try store.leaveWord(.zoneDeleted, of: zone, by: origin) { isWatched = true }
          try store.deleteZone(zone, reason: .encryptedDataReset, at: origin.time)
          deleted.append(zone.address.id)
        }
      }
      if found.count == limit {
        return (ResetKeys.Response(zones: deleted, moreComing: true), isWatched)
      }
      try store.setUserKey(request.publicKey, of: user)
      return (ResetKeys.Response(zones: deleted, moreComing: false), isWatched)
    }
    if isWatched { changes.send(StoreSignal(database.address)) }
    return response
  }
}
