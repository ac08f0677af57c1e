import StratusWire

/// Marks notifications as read on all the user's devices.
///
/// Apple no longer supports this operation, but a Stratus server supports it.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var notificationIDs: [CKNotification.ID]?
    var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    mutating func releaseBlocks() {
      markNotificationsReadCompletionBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The notifications to mark.
  public var notificationIDs: [CKNotification.ID]? {
    get { properties[\.notificationIDs] }
    set { properties[\.notificationIDs] = newValue }
  }

  /// Called last, with the IDs that the server has marked.
  public var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)? {
    get { properties[\.markNotificationsReadCompletionBlock] }
    set { properties[\.markNotificationsReadCompletionBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var marked: [CKNotification.ID] = []

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that marks the given notifications.
  public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.init()
    self.notificationIDs = notificationIDs
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let ids = (started.notificationIDs ?? []).map(\.text)
    if ids.isEmpty { return }
    let answer = try await container.send(
      MarkNotificationsRead.self, MarkNotificationsRead.Request(ids: ids))
    report { [self] in marked = answer.ids.map(CKNotificationID.init) }
  }

  override func conclude(with failure: CKError?) {
    started.markNotificationsReadCompletionBlock?(failure == nil ? marked : nil, failure)
  }
}
