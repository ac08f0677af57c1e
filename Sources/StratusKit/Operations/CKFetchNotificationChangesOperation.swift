import StratusTransport
import StratusWire

/// Fetches one page of the user's notifications after a change token.
///
/// Apple no longer supports this operation, but a Stratus server supports it. A notification that
/// was marked as read arrives as `CKNotification.NotificationType.readNotification`, with only its
/// ID and its container.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var previousServerChangeToken: CKServerChangeToken?
    var resultsLimit = 0
    var notificationChangedBlock: ((CKNotification) -> Void)?
    var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

    mutating func releaseBlocks() {
      notificationChangedBlock = nil
      fetchNotificationChangesCompletionBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The change token of the last fetch; nil to fetch from the oldest notification that the server
  /// keeps.
  public var previousServerChangeToken: CKServerChangeToken? {
    get { properties[\.previousServerChangeToken] }
    set { properties[\.previousServerChangeToken] = newValue }
  }
  /// The maximum number of notifications in the page; 0, the default, lets the server decide.
  public var resultsLimit: Int {
    get { properties[\.resultsLimit] }
    set { properties[\.resultsLimit] = newValue }
  }
  /// Whether more notifications can be fetched with the new token. The property is false until
  /// shortly before the final block is called.
  public private(set) var moreComing = false

  /// Called for each notification of the page, the oldest first, and then for each other
  /// notification that was marked as read since the token was issued.
  public var notificationChangedBlock: ((CKNotification) -> Void)? {
    get { properties[\.notificationChangedBlock] }
    set { properties[\.notificationChangedBlock] = newValue }
  }
  /// Called last, with the token to continue from.
  public var fetchNotificationChangesCompletionBlock:
    ((CKServerChangeToken?, (any Error)?) -> Void)?
  {
    get { properties[\.fetchNotificationChangesCompletionBlock] }
    set { properties[\.fetchNotificationChangesCompletionBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var token: CKServerChangeToken?

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that continues from the given token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let page = try await container.send(
      FetchNotifications.self,
      FetchNotifications.Request(
        serverChangeToken: started.previousServerChangeToken?.syncToken,
        resultsLimit: started.resultsLimit > 0 ? started.resultsLimit : nil))
    let identifier = container.path.connection?.address.container
    report { [self] in
      var read: Set<CKNotification.ID> = []
      for item in page.notifications {
        let notification = CKNotification.make(item.payload)
        guard item.isRead, let id = notification.notificationID else {
          started.notificationChangedBlock?(notification)
          continue
        }
        if read.insert(id).inserted { tell(id, isReadIn: identifier) }
      }
      for text in page.readIDs {
        let id = CKNotificationID(text)
        if read.insert(id).inserted { tell(id, isReadIn: identifier) }
      }
      token = CKServerChangeToken(syncToken: page.serverChangeToken)
      moreComing = page.moreComing
    }
  }

  private func tell(_ id: CKNotification.ID, isReadIn container: String?) {
    started.notificationChangedBlock?(CKNotification(readID: id, containerIdentifier: container))
  }

  override func conclude(with failure: CKError?) {
    let started = started
    started.fetchNotificationChangesCompletionBlock?(
      token ?? started.previousServerChangeToken, failure)
  }
}
