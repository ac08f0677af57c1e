import StratusWire

/// Answers `subscriptions/list`.
struct ListSubscriptionsHandler: EndpointHandler {
  typealias Endpoint = ListSubscriptions

  let databases: DatabaseAccess

  func answer(
    _ request: ListSubscriptions.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ListSubscriptions.Response {
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    let user = try caller.requireUser()
    return try await database.store.read { (store) throws(ServerError) in
      let found = try store.subscriptions(
        of: user, in: database.view, limit: Limits.subscriptionsPerUserMax)
      return ListSubscriptions.Response(
        subscriptions: try found.map { (found) throws(ServerError) in
          .subscription(try found.subscription())
        })
    }
  }
}
