public import StratusWire

/// Reads the queues of notifications, one a user.
///
/// Numbers are drawn from one count for the whole store, in its transactions, so they appear in the
/// order of commits: who follows them misses nothing. No number is drawn twice, not even in another
/// timeline: the count of a store that is new, or set back to a backup, goes on beyond all that was
/// ever given out, so that a place in a queue means the same before and after.
public protocol NotificationReading {
  /// What waits in a user's queue behind a number, oldest first.
  ///
  /// - Parameter sizeBytesMax: ends the page once the payloads read reach this, with one at least.
  func notifications(
    of user: String, after number: Int64, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [QueuedNotification]

  /// Marks of having been read that a user's notifications got behind a number, in order.
  func readMarks(
    of user: String, after number: Int64, limit: Int
  ) throws(ServerError) -> [ReadMark]

  /// The newest number that was drawn, or where the count began. A new device begins behind it.
  func latestNotification() throws(ServerError) -> Int64

  /// Whose queues were added to behind a number, each once.
  ///
  /// - Parameter limit: how many notifications are looked at.
  func usersWithNews(after number: Int64, limit: Int) throws(ServerError) -> UsersWithNews

  /// The number on the app's icon.
  func badge(of user: String) throws(ServerError) -> Int
}

/// Fills and empties the queues of notifications.
public protocol NotificationWriting {
  /// Adds notifications to their users' queues, in order, and bounds each queue.
  ///
  /// One with a coalescing key takes the place of those of the user that have the same and were not
  /// read. It passes over the device that made the change, unless that device has not heard yet of
  /// another's change it stands for, too.
  func enqueue(_ notifications: [NewNotification]) throws(ServerError)

  /// Marks a user's notifications as read.
  ///
  /// - Parameter ids: notification IDs; those of other users and unknown ones are left out.
  /// - Returns: those that were found, each once, in the order asked for.
  func markRead(ids: [String], of user: String) throws(ServerError) -> [String]

  /// Sets the number on the app's icon; the next notification that counts it up goes on from there.
  func setBadge(_ badge: Int, of user: String) throws(ServerError)

  /// Removes notifications made before a time, and devices not seen since another, but for those
  /// that Apple's service reaches: they may be quiet for long, and it says when they are gone.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC, as is `unseenSince`.
  ///   - limit: rows of each kind at most.
  /// - Returns: whether there may be more.
  func pruneNotifications(
    madeBefore time: Int64, devicesUnseenSince unseenSince: Int64, limit: Int
  ) throws(ServerError) -> Bool
}

/// A notification that is to join a user's queue.
public struct NewNotification: Sendable {
  /// Record name of the user whose queue it joins.
  public var user: String
  /// Its presentation's badge is filled in by the queue.
  public var payload: NotificationPayload
  /// Whether the user's badge is counted up.
  public var shouldBadge: Bool
  /// The device that made the change, which is passed over; nil: none is.
  public var originDeviceID: String?
  /// Replaces those in the user's queue with the same key; nil: replaces none.
  public var coalescingKey: String?
  /// Milliseconds since 1970 UTC.
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
  public var number: Int64
  /// `nid`; several notifications of one change share it.
  public var notificationID: String
  /// The device that made the change, which is passed over; nil: none is.
  public var originDeviceID: String?
  /// As on ``NewNotification``; APNs collapses what has the same, too.
  public var coalescingKey: String?
  /// Milliseconds since 1970 UTC.
  public var createdAt: Int64
  public var isRead: Bool
  /// ``NotificationPayload`` as JSON, just as it goes to devices.
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
  /// What the text says.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store holds something else.
  public func payload() throws(ServerError) -> NotificationPayload {
    do throws(WireError) {
      return try NotificationPayload(json: try JSONView(parsing: payloadText))
    } catch {
      throw .fault("a queued notification cannot be read", facts: ["error": error.reason])
    }
  }
}

/// Says that a notification was read, and when in the order of all that happened.
public struct ReadMark: Sendable, Hashable {
  /// Of the same count as the numbers of notifications.
  public var number: Int64
  public var notificationID: String

  public init(number: Int64, notificationID: String) {
    self.number = number
    self.notificationID = notificationID
  }
}

/// Users whose queues were added to.
public struct UsersWithNews: Sendable, Hashable {
  public var users: [String]
  /// The newest notification looked at: where the next question goes on.
  public var through: Int64
  /// Whether there may be more behind it.
  public var hasMore: Bool

  public init(users: [String], through: Int64, hasMore: Bool) {
    self.users = users
    self.through = through
    self.hasMore = hasMore
  }
}
