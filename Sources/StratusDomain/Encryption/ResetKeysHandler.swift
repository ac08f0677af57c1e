import StratusWire

/// Answers `encryption/reset`, for a limited number of zones at a time.
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
      // NB: a client may repeat a finished reset whose answer was lost. The repeated request
      // succeeds, too.
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
          // The default zone cannot be deleted. It keeps its records, but their sealed values are
          // lost.
          try store.removeZoneKeys(of: zone)
        } else {
          if try store.saveWord(.zoneDeleted, of: zone, by: origin) { isWatched = true }
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
