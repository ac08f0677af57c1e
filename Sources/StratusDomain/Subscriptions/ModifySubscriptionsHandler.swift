import StratusWire

/// Answers `subscriptions/modify`. Each subscription succeeds or fails separately.
struct ModifySubscriptionsHandler: EndpointHandler {
  typealias Endpoint = ModifySubscriptions

  let databases: DatabaseAccess
  let ambient: Ambient

  /// The number and the size of the user's subscriptions in the database. They are read once for a
  /// request, because reading them takes longer than saving a subscription.
  private struct Totals {
    var count: Int
    var sizeBytes: Int
  }

  func answer(
    _ request: ModifySubscriptions.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ModifySubscriptions.Response {
    guard request.operations.count <= Limits.operationsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let operations = request.operations.map(named)
    let database = try await databases.open(address, for: caller, needsUser: true)
    let user = try caller.requireUser()
    caller.work.add(steps: operations.count * Limits.stepsPerSmallOperation)
    return try await database.store.write { (store) throws(ServerError) in
      var items: [SubscriptionItem] = []
      var totals: Totals?
      for operation in operations {
        do throws(ServerError) {
          items.append(try modify(operation, of: user, in: database, store, &totals))
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
    _ store: any StoreWriting, _ totals: inout Totals?
  ) throws(ServerError) -> SubscriptionItem {
    let found = try store.subscription(id: operation.id, of: user, in: database.view)
    switch operation {
    case .delete(let id):
      guard let found else { throw ServerError(.notFound, Reason.subscriptionNotFound) }
      try store.removeSubscription(number: found.number)
      totals?.count -= 1
      totals?.sizeBytes -= found.definition.count
      return .deleted(id: id)
    case .save(let subscription):
      // An identical subscription is stored already, so nothing is checked or written.
      if found?.definition == subscription.jsonBytes { return .subscription(subscription) }
      try check(subscription)
      let known =
        if let totals { totals } else { try readTotals(of: user, in: database, store) }
      totals = known
      let sum = try add(subscription, replacing: found, to: known)
      let rules = SubscriptionRules(database: database, user: user, store: store)
      try store.save(
        subscription, of: user, in: database.view, under: try rules.watchKey(of: subscription))
      totals = sum
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

  private func readTotals(
    of user: String, in database: OpenDatabase, _ store: any StoreReading
  ) throws(ServerError) -> Totals {
    Totals(
      count: try store.subscriptionCount(of: user, in: database.view),
      sizeBytes: try store.subscriptionSizeBytes(of: user, in: database.view))
  }

  /// Returns the totals after the save of a subscription.
  ///
  /// - Throws: `BAD_REQUEST` if the user would have too many subscriptions, or if one answer could
  ///   no longer contain all of them.
  private func add(
    _ subscription: Subscription, replacing found: StoredSubscription?, to totals: Totals
  ) throws(ServerError) -> Totals {
    var sum = totals
    sum.sizeBytes += subscription.jsonBytes.count - (found?.definition.count ?? 0)
    if found == nil {
      guard totals.count < Limits.subscriptionsPerUserMax else {
        throw .badRequest(
          "the user has \(Limits.subscriptionsPerUserMax) subscriptions in the database, the "
            + "most allowed")
      }
      sum.count += 1
    }
    guard sum.sizeBytes <= Limits.subscriptionsSizeBytesMax else {
      throw .badRequest(
        "the user's subscriptions in the database would be larger than the limit; delete some, "
          + "or use shorter predicates")
    }
    return sum
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
