extension CKDatabase {
  // Several subscriptions.

  /// Fetches every subscription that the user has in this database.
  public func allSubscriptions() async throws -> [CKSubscription] {
    try await outcome(Self.fetchAll)
  }

  /// Fetches every subscription that the user has in this database.
  @preconcurrency
  public func fetchAllSubscriptions(
    completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
  ) {
    add(Self.fetchAll { $0.report(to: completionHandler) })
  }

  /// Fetches subscriptions by their IDs.
  ///
  /// - Throws: the error of the whole request. An error of a single subscription is the result of
  ///   that subscription.
  public func subscriptions(
    for ids: [CKSubscription.ID]
  ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
    try await outcome { Self.fetch(ids, $0) }
  }

  /// Fetches subscriptions by their IDs; see `subscriptions(for:)`.
  @preconcurrency
  public func fetch(
    withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.fetch(subscriptionIDs, completionHandler))
  }

  /// Saves and deletes subscriptions.
  ///
  /// - Throws: the error of the whole request. An error of a single subscription is the result of
  ///   that subscription.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID]
  ) async throws -> (
    saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
    deleteResults: [CKSubscription.ID: Result<Void, any Error>]
  ) {
    try await outcome { Self.modify(subscriptionsToSave, subscriptionIDsToDelete, $0) }
  }

  /// Saves and deletes subscriptions; see `modifySubscriptions(saving:deleting:)`.
  @preconcurrency
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    add(Self.modify(subscriptionsToSave, subscriptionIDsToDelete, completionHandler))
  }

  // One subscription.

  /// Fetches a subscription.
  ///
  /// - Throws: `CKError.unknownItem` if the subscription does not exist.
  public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
    try await outcome { completion in
      Self.fetch([subscriptionID]) { completion($0.only(subscriptionID)) }
    }
  }

  /// Fetches a subscription; see `subscription(for:)`.
  @preconcurrency
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    add(Self.fetch([subscriptionID]) { $0.only(subscriptionID).report(to: completionHandler) })
  }

  /// Saves a subscription. The subscription replaces an existing subscription with the same ID.
  ///
  /// - Throws: `CKError.invalidArguments` if CloudKit does not support the predicate, or if this
  ///   database does not support the kind of subscription.
  @discardableResult
  public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
    try await outcome { Self.save(subscription, $0) }
  }

  /// Saves a subscription; see `save(_:)`.
  @preconcurrency
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    add(Self.save(subscription) { $0.report(to: completionHandler) })
  }

  /// Deletes a subscription.
  ///
  /// - Throws: `CKError.unknownItem` if the subscription does not exist.
  @discardableResult
  public func deleteSubscription(
    withID subscriptionID: CKSubscription.ID
  ) async throws -> CKSubscription.ID {
    try await outcome { Self.delete(subscriptionID, $0) }
  }

  /// Deletes a subscription; see `deleteSubscription(withID:)`.
  @preconcurrency
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
  ) {
    add(Self.delete(subscriptionID) { $0.report(to: completionHandler) })
  }

  // The operations behind these methods.

  private static func fetchAll(
    _ completion: @escaping (Result<[CKSubscription], any Error>) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    var subscriptions: [CKSubscription] = []
    operation.perSubscriptionResultBlock = { _, result in
      if case .success(let subscription) = result { subscriptions.append(subscription) }
    }
    operation.fetchSubscriptionsResultBlock = { result in
      completion(result.map { subscriptions })
    }
    return operation
  }

  private static func fetch(
    _ ids: [CKSubscription.ID],
    _ completion:
      @escaping (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchSubscriptionsOperation(subscriptionIDs: ids)
    var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    operation.perSubscriptionResultBlock = { results[$0] = $1 }
    operation.fetchSubscriptionsResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func modify(
    _ saving: [CKSubscription], _ deleting: [CKSubscription.ID],
    _ completion:
      @escaping (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: saving, subscriptionIDsToDelete: deleting)
    var saves: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    var deletes: [CKSubscription.ID: Result<Void, any Error>] = [:]
    operation.perSubscriptionSaveBlock = { saves[$0] = $1 }
    operation.perSubscriptionDeleteBlock = { deletes[$0] = $1 }
    operation.modifySubscriptionsResultBlock = { result in
      completion(result.map { (saves, deletes) })
    }
    return operation
  }

  private static func save(
    _ subscription: CKSubscription,
    _ completion: @escaping (Result<CKSubscription, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([subscription], []) { result in
      completion(result.map(\.saveResults).only(subscription.subscriptionID))
    }
  }

  private static func delete(
    _ id: CKSubscription.ID,
    _ completion: @escaping (Result<CKSubscription.ID, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([], [id]) { result in
      completion(result.map(\.deleteResults).only(id).map { id })
    }
  }
}
