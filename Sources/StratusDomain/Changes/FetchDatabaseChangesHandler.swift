import StratusWire

/// Answers `changes/database`.
struct FetchDatabaseChangesHandler: EndpointHandler {
  typealias Endpoint = FetchDatabaseChanges

  let databases: DatabaseAccess
  /// The maximum number of zones in a shared database whose listings one request updates.
  var zonesRelistedMax = Limits.zonesRelistedMax

  func answer(
    _ request: FetchDatabaseChanges.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchDatabaseChanges.Response {
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireHistory()
    let hasMoreToRelist = try await relistChangedZones(of: database)
    return try await database.store.read { (store) throws(ServerError) in
      let history = DatabaseHistory(
        database: database, store: store, showsIncarnations: request.showsIncarnations)
      let page = try history.page(since: request.syncToken, resultsLimit: request.resultsLimit)
      return FetchDatabaseChanges.Response(
        zones: page.zones, syncToken: page.syncToken,
        moreComing: page.moreComing || hasMoreToRelist)
    }
  }

  /// Updates the listings of zones in a shared database, if the zones have changed since their
  /// listings were last updated. A listing puts the zone into the history of the shared database.
  ///
  /// Owners' saves do not update the histories of participants, so that the cost of a save does not
  /// depend on the number of participants.
  ///
  /// - Returns: whether more zones may have to be updated.
  private func relistChangedZones(
    of database: OpenDatabase
  ) async throws(ServerError) -> Bool {
    guard case .shared(let user) = database.view else { return false }
    let mustRelist = try await database.store.read { (store) throws(ServerError) in
      try store.mustRelist(inSharedDatabaseOf: user)
    }
    guard mustRelist else { return false }
    let now = databases.ambient.now()
    return try await database.store.write { [zonesRelistedMax] (store) throws(ServerError) in
      try store.relistChanged(
        inSharedDatabaseOf: user, at: now, limit: zonesRelistedMax)
    }
  }
}

/// Answers `zones/changes`. It works like ``FetchDatabaseChangesHandler``, but with other JSON
/// keys.
struct FetchZonesHandler: EndpointHandler {
  typealias Endpoint = FetchZones

  let databases: DatabaseAccess

  func answer(
    _ request: FetchZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchZones.Response {
    let changes = try await FetchDatabaseChangesHandler(databases: databases).answer(
      FetchDatabaseChanges.Request(
        syncToken: request.metaSyncToken, resultsLimit: request.resultsLimit),
      to: caller, in: address)
    return FetchZones.Response(
      zones: changes.zones, metaSyncToken: changes.syncToken, moreComing: changes.moreComing)
  }
}
