import StratusWire

/// Saves and deletes the user's subscriptions in a database.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var subscriptionsToSave: [CKSubscription]?
    var subscriptionIDsToDelete: [CKSubscription.ID]?
    var perSubscriptionSaveBlock:
      (
        (
          _ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>
        ) -> Void
      )?
    var perSubscriptionDeleteBlock:
      ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    var modifySubscriptionsCompletionBlock:
      (
        (
          _ savedSubscriptions: [CKSubscription]?, _ deletedSubscriptionIDs: [CKSubscription.ID]?,
          _ operationError: (any Error)?
        ) -> Void
      )?
    var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func detach() { subscriptionsToSave = subscriptionsToSave?.map { $0.duplicate() } }

    mutating func releaseBlocks() {
      perSubscriptionSaveBlock = nil
      perSubscriptionDeleteBlock = nil
      modifySubscriptionsCompletionBlock = nil
      modifySubscriptionsResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The subscriptions to save. Each of them replaces an existing subscription with the same ID.
  public var subscriptionsToSave: [CKSubscription]? {
    get { properties[\.subscriptionsToSave] }
    set { properties[\.subscriptionsToSave] = newValue }
  }
  /// The subscriptions to delete.
  public var subscriptionIDsToDelete: [CKSubscription.ID]? {
    get { properties[\.subscriptionIDsToDelete] }
    set { properties[\.subscriptionIDsToDelete] = newValue }
  }

  /// Called once for each subscription to save.
  public var perSubscriptionSaveBlock:
    (
      (
        _ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>
      ) -> Void
    )?
  {
    get { properties[\.perSubscriptionSaveBlock] }
    set { properties[\.perSubscriptionSaveBlock] = newValue }
  }
  /// Called once for each subscription to delete, with an error if the subscription does not exist.
  public var perSubscriptionDeleteBlock:
    ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.perSubscriptionDeleteBlock] }
    set { properties[\.perSubscriptionDeleteBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``modifySubscriptionsResultBlock`` is
  /// set. Errors of single subscriptions arrive as `CKError.partialFailure`.
  public var modifySubscriptionsCompletionBlock:
    (
      (
        _ savedSubscriptions: [CKSubscription]?, _ deletedSubscriptionIDs: [CKSubscription.ID]?,
        _ operationError: (any Error)?
      ) -> Void
    )?
  {
    get { properties[\.modifySubscriptionsCompletionBlock] }
    set { properties[\.modifySubscriptionsCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.modifySubscriptionsResultBlock] }
    set { properties[\.modifySubscriptionsResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var saved: [CKSubscription] = []
  private var deleted: [CKSubscription.ID] = []
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that saves and deletes the given subscriptions.
  public convenience init(
    subscriptionsToSave: [CKSubscription]? = nil,
    subscriptionIDsToDelete: [CKSubscription.ID]? = nil
  ) {
    self.init()
    self.subscriptionsToSave = subscriptionsToSave
    self.subscriptionIDsToDelete = subscriptionIDsToDelete
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    let started = started
    let saving = started.subscriptionsToSave ?? []
    let deleting = started.subscriptionIDsToDelete ?? []
    if saving.isEmpty && deleting.isEmpty { return }
    let ids = saving.map(\.subscriptionID) + deleting
    guard Set(ids.map { Array($0.utf8) }).count == ids.count else {
      throw CKError.malformed("a subscription appears twice in one operation")
    }
    // This device needs a lasting name, under which the server queues notifications for it.
    database.path.identify()
    let naming = try await database.naming()
    let now = Live.now()
    var sent: [CKSubscription] = []
    var operations: [ModifySubscriptions.Operation] = []
    for subscription in saving {
      do throws(CKError) {
        operations.append(.save(try subscription.wire(now: now, naming: naming)))
        sent.append(subscription)
      } catch {
        deliverSave(.failure(error), of: subscription.subscriptionID)
      }
    }
    operations += deleting.map { .delete(id: $0) }
    if operations.isEmpty { return }
    // A repeated save has no further effect, but a repeated deletion reports the subscription as
    // not found. A request with deletions is therefore not idempotent.
    let response = try await database.send(
      ModifySubscriptions.self, ModifySubscriptions.Request(operations: operations),
      isIdempotent: deleting.isEmpty, step: "all")
    let items = response.subscriptions
    guard items.count == operations.count else { throw CKError.badAnswer }
    for (subscription, item) in zip(sent, items) { try deliverSave(item, of: subscription) }
    for (id, item) in zip(deleting, items.dropFirst(sent.count)) { deliverDelete(item, of: id) }
  }

  private func deliverSave(
    _ item: SubscriptionItem, of subscription: CKSubscription
  ) throws(CKError) {
    switch item {
    // The server stores the subscription as it was sent.
    case .subscription: deliverSave(.success(subscription), of: subscription.subscriptionID)
    case .failure(_, let error):
      deliverSave(.failure(CKError(error)), of: subscription.subscriptionID)
    case .deleted: throw CKError.badAnswer
    }
  }

  private func deliverSave(_ result: Result<CKSubscription, CKError>, of id: CKSubscription.ID) {
    report { [self] in
      switch result {
      case .success(let subscription): saved.append(subscription)
      case .failure(let error): errors.add(error, for: id)
      }
      started.perSubscriptionSaveBlock?(id, result.mapError { $0 })
    }
  }

  private func deliverDelete(_ item: SubscriptionItem, of id: CKSubscription.ID) {
    report { [self] in
      switch item {
      case .subscription, .deleted:
        deleted.append(id)
        started.perSubscriptionDeleteBlock?(id, .success(()))
      case .failure(_, let error):
        let error = CKError(error)
        errors.add(error, for: id)
        started.perSubscriptionDeleteBlock?(id, .failure(error))
      }
    }
  }

  override func conclude(with failure: CKError?) {
    if let modifySubscriptionsResultBlock = started.modifySubscriptionsResultBlock {
      modifySubscriptionsResultBlock(failure.asResult)
    } else {
      let isEmpty = failure != nil && saved.isEmpty && deleted.isEmpty
      started.modifySubscriptionsCompletionBlock?(
        isEmpty ? nil : saved, isEmpty ? nil : deleted, failure ?? errors.partialFailure)
    }
  }
}
