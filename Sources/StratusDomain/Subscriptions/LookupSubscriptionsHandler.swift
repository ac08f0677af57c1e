import StratusWire

/// Answers `subscriptions/lookup`.
struct LookupSubscriptionsHandler: EndpointHandler {
  typealias Endpoint = LookupSubscriptions

  let databases: DatabaseAccess

  func answer(
    _ request: LookupSubscriptions.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> LookupSubscriptions.Response {
    guard request.ids.count <= Limits.lookupsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    let user = try caller.requireUser()
    return try await database.store.read { (store) throws(ServerError) in
      var items: [SubscriptionItem] = []
      for id in request.ids {
        if let found = try store.subscription(id: id, of: user, in: database.view) {
          items.append(.subscription(try found.subscription()))
        } else {
          let error = ServerError(.notFound, Reason.subscriptionNotFound)
          items.append(.failure(id: id, error.dictionary(for: caller)))
        }
      }
      return LookupSubscriptions.Response(subscriptions: items)
    }
  }
}
