public import StratusWire

/// Reads the queues of notifications. Each user has one queue.
///
/// Each user has a counter, which numbers the user's notifications and read marks inside the
/// transactions that write them. The numbers therefore appear in commit order, and a reader that
/// follows them misses nothing. A number is never used twice, because the counters of a new or
/// restored store continue after all numbers ever used. A position in a queue therefore means the
/// same before and after a restore. A user's numbers do not depend on the notifications of other
/// users.
///
/// A second counter numbers the notifications of the whole store in commit order. Its numbers are
/// never shown to a user.
public protocol NotificationReading {
  /// Returns the notifications in a user's queue with numbers above `number`, the oldest first.
  ///
  /// - Parameter sizeBytesMax: the size of the payloads, in bytes, at which the page ends. The page
  ///   has at least one notification.
  func notifications(
    of user: String, after number: Int64, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [QueuedNotification]

  /// Returns the read marks of a user's notifications. The marks have numbers above `number`, and
  /// are in the order of their numbers.
  func readMarks(
    of user: String, after number: Int64, limit: Int
  ) throws(ServerError) -> [ReadMark]

  /// Returns the newest numbers of a user's counter and of the store's counter, in one state of the
  /// store. If a counter has not given a number yet, its newest number is the one before its first.
  func queueEnd(of user: String) throws(ServerError) -> QueueEnd

  /// Returns the users who have notifications with numbers above `number`, which is a number of the
  /// store's counter. Each user appears once.
  ///
  /// - Parameter limit: the maximum number of notifications to examine.
  func usersWithNews(after number: Int64, limit: Int) throws(ServerError) -> UsersWithNews

  /// Returns the number on the app's icon.
  func badge(of user: String) throws(ServerError) -> Int
}

extension NotificationReading {
  /// Returns the newest number of a user. A new device begins after this number.
  public func latestNotification(of user: String) throws(ServerError) -> Int64 {
    try queueEnd(of: user).number
  }
}

/// The end of a user's queue.
public struct QueueEnd: Sendable, Hashable {
  /// The newest number of the user.
  public var number: Int64
  /// The newest number of the store.
  public var storeNumber: Int64

  public init(number: Int64, storeNumber: Int64) {
    self.number = number
    self.storeNumber = storeNumber
  }
}

/// Adds and removes queued notifications.
public protocol NotificationWriting {
  /// Appends notifications to their users' queues, in order. If a queue gets too long, its oldest
  /// notifications are removed.
  ///
  /// A notification with a coalescing key replaces the user's unread notifications with the same
  /// key. Usually, the device that made the change does not get the notification. There is one
  /// exception: if a replaced notification is about another device's change, and the device has not
  /// acknowledged that notification yet, the device gets the new notification.
  func enqueue(_ notifications: [NewNotification]) throws(ServerError)

  /// Marks a user's notifications as read.
  ///
  /// - Parameter ids: notification IDs. Unknown IDs and the IDs of other users' notifications are
  ///   ignored.
  /// - Returns: the IDs that were found, each once, in the order of `ids`.
  func markRead(ids: [String], of user: String) throws(ServerError) -> [String]

  /// Sets the number on the app's icon. The next notification that increments the badge starts from
  /// this number.
  func setBadge(_ badge: Int, of user: String) throws(ServerError)

  /// Removes old notifications and devices. Devices reached by APNs stay, because they may be
  /// silent for a long time, and APNs reports when they are gone.
  ///
  /// - Parameters:
  ///   - time: notifications made before this time are removed, in milliseconds since 1970 UTC.
  ///   - unseenSince: devices not seen since this time are removed, in milliseconds since 1970 UTC.
  ///   - limit: the maximum number of rows of each kind.
  /// - Returns: whether there may be more rows to remove.
  func pruneNotifications(
    madeBefore time: Int64, devicesUnseenSince unseenSince: Int64, limit: Int
  ) throws(ServerError) -> Bool
}

/// A notification to be added to a user's queue.
public struct NewNotification: Sendable {
  /// The record name of the user.
  public var user: String
  /// The presentation's badge is filled in when the notification is queued.
  public var payload: NotificationPayload
  /// Whether the notification increments the user's badge.
  public var shouldBadge: Bool
  /// The device that made the change and usually gets no notification; see
  /// ``NotificationWriting/enqueue(_:)``. It is nil if all devices get the notification.
  public var originDeviceID: String?
  /// The key for coalescing, or nil if the notification replaces no other. The notification
  /// replaces unread notifications in the user's queue with the same key.
  public var coalescingKey: String?
  /// The time of creation, in milliseconds since 1970 UTC.
  public var createdAt: Int64

  public init(
    user: String, payload: NotificationPayload, shouldBadge: Bool = false,
    originDeviceID: String? = nil, coalescingKey: String? = nil, createdAt: Int64
  ) {
    self.user = user
    self.payload = payload
    self.shouldBadge = shouldBadge
    self.originDeviceID = originDeviceID
    self.coalescingKey = coalescingKey
    self.createdAt = createdAt
  }
}

/// A notification in a user's queue.
public struct QueuedNotification: Sendable, Hashable {
  /// The number in the user's queue.
  public var number: Int64
  /// The value of `nid`. Several notifications of one change can have the same value.
  public var notificationID: String
  /// The device that made the change and therefore gets no notification. It is nil if all devices
  /// get the notification.
  public var originDeviceID: String?
  /// The key of ``NewNotification/coalescingKey``. APNs also collapses notifications with the same
  /// key.
  public var coalescingKey: String?
  /// The time of creation, in milliseconds since 1970 UTC.
  public var createdAt: Int64
  public var isRead: Bool
  /// ``NotificationPayload`` as JSON, exactly as devices receive it.
  public var payloadText: [UInt8]

  public init(
    number: Int64, notificationID: String, originDeviceID: String?, coalescingKey: String?,
    createdAt: Int64, isRead: Bool, payloadText: [UInt8]
  ) {
    self.number = number
    self.notificationID = notificationID
    self.originDeviceID = originDeviceID
    self.coalescingKey = coalescingKey
    self.createdAt = createdAt
    self.isRead = isRead
    self.payloadText = payloadText
  }
}

extension QueuedNotification {
  /// Decodes the payload.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored payload cannot be read.
  public func payload() throws(ServerError) -> NotificationPayload {
    do throws(WireError) {
      return try NotificationPayload(json: try JSONView(parsing: payloadText))
    } catch {
      throw .fault("a queued notification cannot be read", facts: ["error": error.reason])
    }
  }
}

/// A row that says that a notification was marked as read.
public struct ReadMark: Sendable, Hashable {
  /// The number of the mark, from the user's counter, which also numbers the notifications.
  public var number: Int64
  public var notificationID: String

  public init(number: Int64, notificationID: String) {
    self.number = number
    self.notificationID = notificationID
  }
}

/// The users whose queues of notifications grew.
public struct UsersWithNews: Sendable, Hashable {
  public var users: [String]
  /// The number of the newest notification that was examined, from the counter of the store. The
  /// next call continues after it.
  public var through: Int64
  /// Whether there may be more notifications after ``through``.
  public var hasMore: Bool

  public init(users: [String], through: Int64, hasMore: Bool) {
    self.users = users
    self.through = through
    self.hasMore = hasMore
  }
}
