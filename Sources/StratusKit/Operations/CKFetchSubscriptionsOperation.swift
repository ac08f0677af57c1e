import StratusWire

/// Fetches the user's subscriptions in a database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var subscriptionIDs: [CKSubscription.ID]?
    var perSubscriptionResultBlock:
      (
        (
          _ subscriptionID: CKSubscription.ID,
          _ subscriptionResult: Result<CKSubscription, any Error>
        ) -> Void
      )?
    var fetchSubscriptionCompletionBlock:
      (
        (
          _ subscriptionsBySubscriptionID: [CKSubscription.ID: CKSubscription]?,
          _ operationError: (any Error)?
        ) -> Void
      )?
    var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    var wantsAll = false

    mutating func releaseBlocks() {
      perSubscriptionResultBlock = nil
      fetchSubscriptionCompletionBlock = nil
      fetchSubscriptionsResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The subscriptions to fetch.
  public var subscriptionIDs: [CKSubscription.ID]? {
    get { properties[\.subscriptionIDs] }
    set { properties[\.subscriptionIDs] = newValue }
  }

  /// Called once for each subscription.
  public var perSubscriptionResultBlock:
    (
      (
        _ subscriptionID: CKSubscription.ID,
        _ subscriptionResult: Result<CKSubscription, any Error>
      ) -> Void
    )?
  {
    get { properties[\.perSubscriptionResultBlock] }
    set { properties[\.perSubscriptionResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchSubscriptionsResultBlock`` is set.
  /// Errors of single subscriptions arrive as `CKError.partialFailure`.
  public var fetchSubscriptionCompletionBlock:
    (
      (
        _ subscriptionsBySubscriptionID: [CKSubscription.ID: CKSubscription]?,
        _ operationError: (any Error)?
      ) -> Void
    )?
  {
    get { properties[\.fetchSubscriptionCompletionBlock] }
    set { properties[\.fetchSubscriptionCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.fetchSubscriptionsResultBlock] }
    set { properties[\.fetchSubscriptionsResultBlock] = newValue }
  }

  final var wantsAll: Bool {
    get { properties[\.wantsAll] }
    set { properties[\.wantsAll] = newValue }
  }
  // Accessed only on the callback queue.
  private var fetched: [CKSubscription.ID: CKSubscription] = [:]
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public required override init() { super.init() }

  /// Makes an operation that fetches the given subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// Returns an operation that fetches every subscription that the user has in the database.
  open class func fetchAllSubscriptionsOperation() -> Self {
    let operation = Self()
    operation.wantsAll = true
    return operation
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    var seen: Set<CKSubscription.ID> = []
    let wanted = (started.subscriptionIDs ?? []).filter { seen.insert($0).inserted }
    if !started.wantsAll && wanted.isEmpty { return }
    let naming = try await database.naming()
    if started.wantsAll {
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
      started.perSubscriptionResultBlock?(id, result.mapError { $0 })
    }
  }

  override func conclude(with failure: CKError?) {
    if let fetchSubscriptionsResultBlock = started.fetchSubscriptionsResultBlock {
      fetchSubscriptionsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && fetched.isEmpty
      started.fetchSubscriptionCompletionBlock?(
        isEmpty ? nil : fetched, failure ?? errors.partialFailure)
    }
  }
}
