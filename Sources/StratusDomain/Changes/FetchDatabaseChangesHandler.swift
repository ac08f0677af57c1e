import StratusWire

/// Answers `changes/database`.
struct FetchDatabaseChangesHandler: EndpointHandler {
  typealias Endpoint = FetchDatabaseChanges

  let databases: DatabaseAccess

  func answer(
    _ request: FetchDatabaseChanges.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> FetchDatabaseChanges.Response {
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    try database.view.requireHistory()
    try await relistChangedZones(of: database)
    return try await database.store.read { (store) throws(ServerError) in
      let history = DatabaseHistory(
        database: database, store: store, showsIncarnations: request.showsIncarnations)
      let page = try history.page(since: request.syncToken, resultsLimit: request.resultsLimit)
      return FetchDatabaseChanges.Response(
        zones: page.zones, syncToken: page.syncToken, moreComing: page.moreComing)
    }
  }

  /// Lists the zones of a shared database again that have changed since the last poll.
  ///
  /// Owners' saves do not update the histories of participants, so that the cost of a save does not
  /// depend on the number of participants.
  private func relistChangedZones(of database: OpenDatabase) async throws(ServerError) {
    guard case .shared(let user) = database.view else { return }
    let mustRelist = try await database.store.read { (store) throws(ServerError) in
      try store.mustRelist(inSharedDatabaseOf: user)
    }
    guard mustRelist else { return }
    let now = databases.ambient.now()
    _ = try await database.store.write { (store) throws(ServerError) in
      try store.relistChanged(
        inSharedDatabaseOf: user, at: now, limit: Limits.zonesPerDatabaseMax)
    }
  }
}

/// Answers `zones/changes`: like ``FetchDatabaseChangesHandler``, with other keys.
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
