import StratusTransport
import StratusWire

/// Fetches the user's notifications since a place in their history, one page.
///
/// Apple has retired it; a Stratus server keeps the notifications all the same. Those that were
/// marked as read come as `CKNotification.NotificationType.readNotification`, with their ID alone.
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
  /// The properties as the operation started with them.
  var started: Properties { properties.started }

  /// Where the last fetch ended; nil: from the oldest that is kept.
  public var previousServerChangeToken: CKServerChangeToken? {
    get { properties[\.previousServerChangeToken] }
    set { properties[\.previousServerChangeToken] = newValue }
  }
  /// Notifications in the page; 0, the default: as many as the server gives.
  public var resultsLimit: Int {
    get { properties[\.resultsLimit] }
    set { properties[\.resultsLimit] = newValue }
  }
  /// Whether there is more to fetch, with the new token; true only in the final block and after it.
  public private(set) var moreComing = false

  /// Called for each notification, the oldest first.
  public var notificationChangedBlock: ((CKNotification) -> Void)? {
    get { properties[\.notificationChangedBlock] }
    set { properties[\.notificationChangedBlock] = newValue }
  }
  /// Called last, with the token to go on from.
  public var fetchNotificationChangesCompletionBlock:
    ((CKServerChangeToken?, (any Error)?) -> Void)?
  {
    get { properties[\.fetchNotificationChangesCompletionBlock] }
    set { properties[\.fetchNotificationChangesCompletionBlock] = newValue }
  }

  // Only touched on the callback queue.
  private var token: CKServerChangeToken?

  public override init() { super.init() }

  /// Makes an operation that goes on from the given place.
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
