import StratusWire

/// Answers `records/resolve`.
struct ResolveSharesHandler: EndpointHandler {
  typealias Endpoint = ResolveShares

  let directory: ShareDirectory

  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ResolveShares.Response {
    try await directory.answer(request, to: caller, in: address, shortens: false) {
      (shortGUID, search) async throws(ServerError) in
      try await search.database.store.read { (store) throws(ServerError) in
        try search.find(shortGUID, in: store)
      }
    }
  }
}

/// Answers `records/accept`. Each share is joined in a transaction of its own.
struct AcceptSharesHandler: EndpointHandler {
  typealias Endpoint = AcceptShares

  let directory: ShareDirectory
  let changes: any Signals

  func answer(
    _ request: AcceptShares.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> AcceptShares.Response {
    let origin = try caller.origin(now: directory.databases.ambient.now())
    let response = try await directory.answer(
      request, to: caller, in: address, shortens: true
    ) {
      [directory] (shortGUID, search) async throws(ServerError) in
      let (id, now) = (directory.databases.ambient.makeUUID(), origin.time)
      // NB: only a user who joins needs a write transaction.
      let known = try await search.database.store.read { (store) throws(ServerError) in
        let finding = try search.find(shortGUID, in: store)
        return (finding: finding, joins: try search.joins(finding, now: now, in: store))
      }
      guard known.joins else { return known.finding }
      return try await search.database.store.write { (store) throws(ServerError) in
        switch try search.find(shortGUID, in: store) {
        case .share(let found):
          return .share(try search.accept(found, id: id, by: origin, in: store))
        case .hidden(let matches): return .hidden(matches: matches)
        }
      }
    }
    changes.send(StoreSignal(address.store))
    return response
  }
}
