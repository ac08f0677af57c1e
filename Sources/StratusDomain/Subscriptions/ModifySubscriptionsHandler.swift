import StratusWire

/// Answers `subscriptions/modify`. Each subscription succeeds or fails separately.
struct ModifySubscriptionsHandler: EndpointHandler {
  typealias Endpoint = ModifySubscriptions

  let databases: DatabaseAccess
  let ambient: Ambient

  func answer(
    _ request: ModifySubscriptions.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ModifySubscriptions.Response {
    guard request.operations.count <= Limits.operationsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let operations = request.operations.map(named)
    let database = try await databases.open(address, for: caller, needsUser: true)
    let user = try caller.requireUser()
    return try await database.store.write { (store) throws(ServerError) in
      var items: [SubscriptionItem] = []
      for operation in operations {
        do throws(ServerError) {
          items.append(try modify(operation, of: user, in: database, store))
        } catch {
          if error.code == .internalError || error.code == .tryAgainLater { throw error }
          items.append(.failure(id: operation.id, error.dictionary(for: caller)))
        }
      }
      return ModifySubscriptions.Response(subscriptions: items)
    }
  }

  /// Gives an ID to a subscription that has none.
  private func named(
    _ operation: ModifySubscriptions.Operation
  ) -> ModifySubscriptions.Operation {
    guard case .save(var subscription) = operation, subscription.id == nil else {
      return operation
    }
    subscription.id = ambient.makeUUID()
    return .save(subscription)
  }

  private func modify(
    _ operation: ModifySubscriptions.Operation, of user: String, in database: OpenDatabase,
    _ store: any StoreWriting
  ) throws(ServerError) -> SubscriptionItem {
    let found = try store.subscription(id: operation.id, of: user, in: database.view)
    switch operation {
    case .delete(let id):
      guard let found else { throw ServerError(.notFound, Reason.subscriptionNotFound) }
      try store.removeSubscription(number: found.number)
      return .deleted(id: id)
    case .save(let subscription):
      // An identical subscription is stored already, so nothing is checked or written.
      if found?.definition == subscription.jsonBytes { return .subscription(subscription) }
      try check(subscription)
      try checkTotal(of: user, with: subscription, replacing: found, in: database, store)
      let rules = SubscriptionRules(database: database, user: user, store: store)
      try store.save(
        subscription, of: user, in: database.view, under: try rules.watchKey(of: subscription))
      if let found { try makeUp(for: found, operation.id, of: user, in: database, store) }
      return .subscription(subscription)
    }
  }

  /// Prevents a gap after the replacement of a subscription: matches the new subscription with the
  /// changes that it would otherwise miss.
  private func makeUp(
    for replaced: StoredSubscription, _ id: String, of user: String, in database: OpenDatabase,
    _ store: any StoreWriting
  ) throws(ServerError) {
    // Only the oldest entry can be partly matched.
    guard let entry = try store.outboxEntries(limit: 1).first, entry.cursor != nil,
      entry.database == database.view.database,
      let new = try store.subscription(id: id, of: user, in: database.view)
    else { return }
    var matcher = ChangeMatcher(
      store: store, address: database.address, schema: try store.schema(), budget: 0,
      now: ambient.now())
    try matcher.makeUp(for: replaced, with: new, of: entry)
    try MatchStep.Match.settle(matcher.matches, in: store)
  }

  /// Checks that one answer can still contain all subscriptions of the user.
  private func checkTotal(
    of user: String, with subscription: Subscription, replacing found: StoredSubscription?,
    in database: OpenDatabase, _ store: any StoreWriting
  ) throws(ServerError) {
    if found == nil {
      let count = try store.subscriptionCount(of: user, in: database.view)
      guard count < Limits.subscriptionsPerUserMax else {
        throw .badRequest(
          "the user has \(Limits.subscriptionsPerUserMax) subscriptions in the database, the "
            + "most allowed")
      }
    }
    let others = try store.subscriptionSizeBytes(of: user, in: database.view)
    let sizeBytes = others - (found?.definition.count ?? 0) + subscription.jsonBytes.count
    guard sizeBytes <= Limits.subscriptionsSizeBytesMax else {
      throw .badRequest(
        "the user's subscriptions in the database would be larger than the limit; delete some, "
          + "or use shorter predicates")
    }
  }

  private func check(_ subscription: Subscription) throws(ServerError) {
    try Naming.checkSubscriptionID(subscription.id ?? "")
    guard subscription.jsonBytes.count <= Limits.subscriptionSizeBytesMax else {
      throw .badRequest("a subscription is larger than the limit")
    }
  }
}

extension ModifySubscriptions.Operation {
  /// The ID of the subscription, or an empty text if it has none yet.
  fileprivate var id: String {
    switch self {
    case .save(let subscription): subscription.id ?? ""
    case .delete(let id): id
    }
  }
}
