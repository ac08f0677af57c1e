import StratusTransport
import StratusWire

/// Fetches the user's notifications since a place in their history, one page.
///
/// Apple has retired it; a Stratus server keeps the notifications all the same. Those that were
/// marked as read come as `CKNotification.NotificationType.readNotification`, with their ID alone.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  /// Where the last fetch ended; nil: from the oldest that is kept.
  public var previousServerChangeToken: CKServerChangeToken?
  /// Notifications in the page; 0, the default: as many as the server gives.
  public var resultsLimit = 0
  /// Whether there is more to fetch, with the new token; true only in the final block and after it.
  public private(set) var moreComing = false

  /// Called for each notification, the oldest first.
  public var notificationChangedBlock: ((CKNotification) -> Void)?
  /// Called last, with the token to go on from.
  public var fetchNotificationChangesCompletionBlock:
    ((CKServerChangeToken?, (any Error)?) -> Void)?

  // Only touched on the callback queue.
  private var token: CKServerChangeToken?

  public override init() { super.init() }

  /// Makes an operation that goes on from the given place.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async throws(CKError) {
    let calls = userCalls
    let page = try await calls.send(
      FetchNotifications.self,
      FetchNotifications.Request(
        serverChangeToken: previousServerChangeToken?.syncToken,
        resultsLimit: resultsLimit > 0 ? resultsLimit : nil))
    let container = calls.path.connection?.address.container
    report { [self] in
      var read: Set<CKNotification.ID> = []
      for item in page.notifications {
        let notification = CKNotification.make(item.payload)
        guard item.isRead, let id = notification.notificationID else {
          notificationChangedBlock?(notification)
          continue
        }
        if read.insert(id).inserted { tell(id, isReadIn: container) }
      }
      for text in page.readIDs {
        let id = CKNotificationID(text)
        if read.insert(id).inserted { tell(id, isReadIn: container) }
      }
      token = CKServerChangeToken(syncToken: page.serverChangeToken)
      moreComing = page.moreComing
    }
  }

  private func tell(_ id: CKNotification.ID, isReadIn container: String?) {
    notificationChangedBlock?(CKNotification(readID: id, containerIdentifier: container))
  }

  override func conclude(with failure: CKError?) {
    fetchNotificationChangesCompletionBlock?(token ?? previousServerChangeToken, failure)
  }

  override func releaseBlocks() {
    notificationChangedBlock = nil
    fetchNotificationChangesCompletionBlock = nil
  }
}

extension CKOperation {
  /// How an operation that concerns a container's user, and none of its databases, calls the
  /// server.
  var userCalls: DatabaseCalls {
    let container = resolved.container ?? CKContainer.default()
    return DatabaseCalls(
      path: container.path, scope: .private,
      options: .init(resolved, operationID: operationID, group: group))
  }
}
