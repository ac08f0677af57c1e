import StratusWire

/// Marks notifications as read, on all the user's devices.
///
/// Apple has retired it; a Stratus server keeps the notifications all the same.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  /// The notifications to mark.
  public var notificationIDs: [CKNotification.ID]?

  /// Called last, with the IDs that the server knew.
  public var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

  // Only touched on the callback queue.
  private var marked: [CKNotification.ID] = []

  public override init() { super.init() }

  /// Makes an operation that marks the given notifications.
  public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.init()
    self.notificationIDs = notificationIDs
  }

  override func perform() async throws(CKError) {
    let ids = (notificationIDs ?? []).map(\.text)
    if ids.isEmpty { return }
    let answer = try await userCalls.send(
      MarkNotificationsRead.self, MarkNotificationsRead.Request(ids: ids))
    report { [self] in marked = answer.ids.map(CKNotificationID.init) }
  }

  override func conclude(with failure: CKError?) {
    markNotificationsReadCompletionBlock?(failure == nil ? marked : nil, failure)
  }

  override func releaseBlocks() { markNotificationsReadCompletionBlock = nil }
}
