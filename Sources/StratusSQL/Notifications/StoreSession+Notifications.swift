public import StratusDomain
import StratusWire

extension StoreSession {
  public func notifications(
    of user: String, after number: Int64, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [QueuedNotification] {
    guard limit > 0 else { return [] }
    var result: [QueuedNotification] = []
    var sizeBytes = 0
    try connection.run(
      NotificationStatements.page, [.text(user), .integer(number), .integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      let notification = QueuedNotification(
        number: row.integer(0), notificationID: row.text(1), originDeviceID: row.optionalText(2),
        coalescingKey: row.optionalText(3), createdAt: row.integer(4), isRead: !row.isNull(5),
        payloadText: row.bytes(6))
      sizeBytes += notification.payloadText.count
      result.append(notification)
      return sizeBytes < sizeBytesMax
    }
    return result
  }

  public func readMarks(
    of user: String, after number: Int64, limit: Int
  ) throws(ServerError) -> [ReadMark] {
    guard limit > 0 else { return [] }
    return try connection.all(
      NotificationStatements.readMarks,
      [.text(user), .integer(number), .integer(Int64(limit))]
    ) { ReadMark(number: $0.integer(0), notificationID: $0.text(1)) }
  }

  public func queueEnd(of user: String) throws(ServerError) -> QueueEnd {
    let end = try connection.first(NotificationStatements.end, [.text(user)]) {
      QueueEnd(number: max($0.integer(1), $0.integer(2)), storeNumber: $0.integer(0))
    }
    guard let end else { throw .fault("the store does not count its notifications") }
    return end
  }

  public func usersWithNews(
    after number: Int64, limit: Int
  ) throws(ServerError) -> UsersWithNews {
    var news = UsersWithNews(users: [], through: number, hasMore: false)
    guard limit > 0 else { return news }
    var seen: Set<ExactName> = []
    var count = 0
    try connection.run(
      NotificationStatements.owners, [.integer(number), .integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      count += 1
      news.through = row.integer(0)
      let user = row.text(1)
      if seen.insert(ExactName(user)).inserted { news.users.append(user) }
      return true
    }
    news.hasMore = count == limit
    return news
  }

  public func badge(of user: String) throws(ServerError) -> Int {
    try connection.first(NotificationStatements.user, [.text(user)]) { Int($0.integer(0)) } ?? 0
  }

  public func setBadge(_ badge: Int, of user: String) throws(ServerError) {
    try connection.queue(NotificationStatements.setBadge, [.text(user), .integer(Int64(badge))])
  }

  public func markRead(ids: [String], of user: String) throws(ServerError) -> [String] {
    guard !ids.isEmpty else { return [] }
    var unread: [String: [Int64]] = [:]
    var known: Set<String> = []
    let wanted = Set(ids)
    try connection.run(NotificationStatements.ids, [.text(user)]) { (row) throws(ServerError) in
      let id = row.text(1)
      guard wanted.contains(id) else { return true }
      known.insert(id)
      if row.isNull(2) { unread[id, default: []].append(row.integer(0)) }
      return true
    }
    let found = ids.filter { known.remove($0) != nil }
    if unread.isEmpty { return found }
    var state = try lockQueueState(of: user, after: try queueEnd(of: user).number)
    for number in found.flatMap({ unread[$0] ?? [] }) {
      state.newest += 1
      try connection.queue(
        NotificationStatements.markRead, [.integer(state.newest), .integer(number)])
    }
    try write(state, of: user)
    return found
  }

  public func pruneNotifications(
    madeBefore time: Int64, devicesUnseenSince unseenSince: Int64, limit: Int
  ) throws(ServerError) -> Bool {
    let notifications = try connection.execute(
      NotificationStatements.prune, [.integer(time), .integer(Int64(limit))])
    let devices = try removeDevices(unseenSince: unseenSince, limit: limit)
    return notifications >= limit || devices >= limit
  }
}

/// The state of a user's queue, without its notifications.
struct QueueState {
  var badge: Int64 = 0
  /// The number of notifications that were ever added to the user's queue.
  var added: Int64 = 0
  /// The newest number in the user's queue.
  var newest: Int64 = 0
}

extension StoreSession {
  /// Takes consecutive numbers from the store's counter.
  ///
  /// NB: the counter is changed before it is read. The change locks the row until the transaction
  /// ends, so that the numbers have the order of the commits.
  ///
  /// - Returns: the number before the first of these numbers, and the number after which the
  ///   numbers of a user without notifications begin.
  func drawNotifications(
    _ count: Int
  ) throws(ServerError) -> (before: Int64, base: Int64) {
    try connection.queue(NotificationStatements.countUp, [.integer(Int64(count))])
    let found = try connection.first(NotificationStatements.count, []) {
      (before: $0.integer(0) - Int64(count), base: $0.integer(1))
    }
    guard let found else { throw .fault("the store does not count its notifications") }
    return found
  }

  /// - Parameter least: the number after which the numbers of a user without notifications begin.
  func lockQueueState(
    of user: String, after least: Int64
  ) throws(ServerError) -> QueueState {
    try connection.first(NotificationStatements.lockUser, [.text(user)]) {
      QueueState(
        badge: $0.integer(0), added: $0.integer(1), newest: max($0.integer(2), least))
    } ?? QueueState(newest: least)
  }

  func write(_ state: QueueState, of user: String) throws(ServerError) {
    try connection.queue(
      NotificationStatements.setUser,
      [
        .text(user), .integer(state.badge), .integer(state.added), .integer(state.newest),
      ])
  }
}

enum NotificationStatements {
  static let page = SQLStatement(
    bounding: """
      SELECT
        user_number, notification_id, origin_device, coalescing_key, created_at, read_number,
        payload
      FROM notifications WHERE owner = ? AND user_number > ? ORDER BY user_number LIMIT ?
      """, by: "payload")
  static let readMarks = SQLStatement(
    """
    SELECT read_number, notification_id FROM notifications
    WHERE owner = ? AND read_number > ? ORDER BY read_number LIMIT ?
    """)
  static let count = SQLStatement("SELECT newest, base FROM notification_count")
  static let end = SQLStatement(
    """
    SELECT newest, base, COALESCE((
      SELECT notification_users.newest FROM notification_users WHERE owner = ?), 0)
    FROM notification_count
    """)
  static let countUp = SQLStatement("UPDATE notification_count SET newest = newest + ?")
  static let owners = SQLStatement(
    "SELECT number, owner FROM notifications WHERE number > ? ORDER BY number LIMIT ?")
  private static let state =
    "SELECT badge, added, newest FROM notification_users WHERE owner = ?"
  static let user = SQLStatement(state)
  static let lockUser = SQLStatement { state + $0.forUpdate("notification_users") }
  static let setBadge = SQLStatement(
    """
    INSERT INTO notification_users (owner, badge, added) VALUES (?, ?, 0)
    ON CONFLICT (owner) DO UPDATE SET badge = excluded.badge
    """)
  static let setUser = SQLStatement(
    """
    INSERT INTO notification_users (owner, badge, added, newest) VALUES (?, ?, ?, ?)
    ON CONFLICT (owner) DO UPDATE SET badge = excluded.badge, added = excluded.added,
      newest = excluded.newest
    """)
  static let ids = SQLStatement(
    """
    SELECT number, notification_id, read_number FROM notifications
    WHERE owner = ? ORDER BY user_number
    """)
  static let markRead = SQLStatement(
    "UPDATE notifications SET read_number = ? WHERE number = ?")
  static let prune = SQLStatement(
    """
    DELETE FROM notifications WHERE number IN (
      SELECT number FROM notifications WHERE created_at < ? ORDER BY created_at LIMIT ?)
    """)
}
