import StratusWire

/// Fetches the user's subscriptions in a database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to fetch.
  public var subscriptionIDs: [CKSubscription.ID]?

  /// Called once for each subscription.
  public var perSubscriptionResultBlock:
    (
      (
        _ subscriptionID: CKSubscription.ID,
        _ subscriptionResult: Result<CKSubscription, any Error>
      ) -> Void
    )?
  /// Deprecated by Apple for ``fetchSubscriptionsResultBlock``, which suppresses it. Failures of
  /// single subscriptions come as `CKError.partialFailure`.
  public var fetchSubscriptionCompletionBlock:
    (
      (
        _ subscriptionsBySubscriptionID: [CKSubscription.ID: CKSubscription]?,
        _ operationError: (any Error)?
      ) -> Void
    )?
  /// Called last. Fails only with the operation as a whole.
  public var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

  var wantsAll = false
  // Only touched on the callback queue.
  private var fetched: [CKSubscription.ID: CKSubscription] = [:]
  private var errors = ItemErrors()

  public required override init() { super.init() }

  /// Makes an operation that fetches the given subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// An operation that fetches every subscription the user has in the database.
  open class func fetchAllSubscriptionsOperation() -> Self {
    let operation = Self()
    operation.wantsAll = true
    return operation
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    var seen: Set<CKSubscription.ID> = []
    let wanted = (subscriptionIDs ?? []).filter { seen.insert($0).inserted }
    if !wantsAll && wanted.isEmpty { return }
    let naming = try await database.naming()
    if wantsAll {
      let response = try await database.send(ListSubscriptions.self, EmptyRequest())
      for item in response.subscriptions { try deliver(item, requested: nil, naming: naming) }
    } else {
      let request = LookupSubscriptions.Request(ids: wanted)
      let response = try await database.send(LookupSubscriptions.self, request)
      guard response.subscriptions.count == wanted.count else { throw CKError.badAnswer }
      for (id, item) in zip(wanted, response.subscriptions) {
        try deliver(item, requested: id, naming: naming)
      }
    }
  }

  private func deliver(
    _ item: SubscriptionItem, requested: CKSubscription.ID?, naming: UserNaming
  ) throws(CKError) {
    switch item {
    case .subscription(let wire):
      guard let subscription = CKSubscription.make(wire, naming: naming) else {
        throw CKError.badAnswer
      }
      deliver(.success(subscription), of: requested ?? subscription.subscriptionID)
    case .failure(let id, let error): deliver(.failure(CKError(error)), of: requested ?? id)
    case .deleted: throw CKError.badAnswer
    }
  }

  private func deliver(_ result: Result<CKSubscription, CKError>, of id: CKSubscription.ID) {
    report { [self] in
      switch result {
      case .success(let subscription): fetched[id] = subscription
      case .failure(let error): errors.add(error, for: id)
      }
      perSubscriptionResultBlock?(id, result.mapError { $0 })
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchSubscriptionsResultBlock {
      fetchSubscriptionsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && fetched.isEmpty
      fetchSubscriptionCompletionBlock?(
        isEmpty ? nil : fetched, failure ?? errors.partialFailure)
    }
  }

  override func releaseBlocks() {
    perSubscriptionResultBlock = nil
    fetchSubscriptionCompletionBlock = nil
    fetchSubscriptionsResultBlock = nil
  }
}
