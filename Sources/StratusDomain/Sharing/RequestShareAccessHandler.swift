import StratusWire

/// Answers `records/access`. Each share is changed in a transaction of its own.
struct RequestShareAccessHandler: EndpointHandler {
  typealias Endpoint = RequestShareAccess

  let directory: ShareDirectory
  let changes: any Signals

  func answer(
    _ request: RequestShareAccess.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> RequestShareAccess.Response {
    let origin = try caller.origin(now: directory.databases.ambient.now())
    let search = try await directory.search(for: request, by: caller, in: address)
    var results: [RequestShareAccess.Result] = []
    var hasChanges = false
    for shortGUID in request.shortGUIDs {
      do throws(ServerError) {
        if try await ask(for: shortGUID.value, search, from: origin) { hasChanges = true }
        results.append(RequestShareAccess.Result(shortGUID: shortGUID))
      } catch {
        if error.code == .internalError { throw error }
        results.append(
          RequestShareAccess.Result(
            shortGUID: shortGUID, error: error.dictionary(for: caller)))
      }
    }
    if hasChanges { changes.send(StoreSignal(address.store)) }
    return RequestShareAccess.Response(results: results)
  }

  /// - Returns: whether the share has changed.
  /// - Throws: `NOT_FOUND` if there is no such share, or if it takes no requests of the caller;
  ///   `BAD_REQUEST` if the caller is invited already, or if too many users have asked.
  private func ask(
    for shortGUID: String, _ search: ShareSearch, from origin: ChangeOrigin
  ) async throws(ServerError) -> Bool {
    // NB: only a request that changes the share needs a write transaction.
    let changesShare = try await search.database.store.read { (store) throws(ServerError) in
      try search.mayRequest(shortGUID, now: origin.time, in: store)
    }
    guard let changesShare else { throw ServerError(.notFound, Reason.shareNotFound) }
    guard changesShare else { return false }
    try await search.database.store.write { (store) throws(ServerError) in
      try search.request(shortGUID, by: origin, in: store)
    }
    return true
  }
}
