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

  public func latestNotification() throws(ServerError) -> Int64 {
    guard let newest = try connection.first(NotificationStatements.newest, [], { $0.integer(0) })
    else { throw .fault("the store does not count its notifications") }
    return newest
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
    var found: [String] = []
    var newest = try drawNotifications(unread.values.reduce(0) { $0 + $1.count })
    for id in ids where known.remove(id) != nil {
      found.append(id)
      for number in unread[id] ?? [] {
        newest += 1
        try connection.queue(
          NotificationStatements.markRead, [.integer(newest), .integer(number)])
      }
    }
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
}

extension StoreSession {
  /// Takes consecutive notification numbers from the store's counter.
  ///
  /// NB: the counter is changed before it is read. The change locks the row until the transaction
  /// ends, so that the numbers have the order of the commits.
  ///
  /// - Returns: the number before the first of these numbers.
  func drawNotifications(_ count: Int) throws(ServerError) -> Int64 {
    if count > 0 {
      try connection.queue(NotificationStatements.countUp, [.integer(Int64(count))])
    }
    return try latestNotification() - Int64(count)
  }

  func lockQueueState(of user: String) throws(ServerError) -> QueueState {
    try connection.first(NotificationStatements.lockUser, [.text(user)]) {
      QueueState(badge: $0.integer(0), added: $0.integer(1))
    } ?? QueueState()
  }

  func write(_ state: QueueState, of user: String) throws(ServerError) {
    try connection.queue(
      NotificationStatements.setUser,
      [.text(user), .integer(state.badge), .integer(state.added)])
  }
}

enum NotificationStatements {
  static let page = SQLStatement(
    bounding: """
      SELECT
        number, notification_id, origin_device, coalescing_key, created_at, read_number, payload
      FROM notifications WHERE owner = ? AND number > ? ORDER BY number LIMIT ?
      """, by: "payload")
  static let readMarks = SQLStatement(
    """
    SELECT read_number, notification_id FROM notifications
    WHERE owner = ? AND read_number > ? ORDER BY read_number LIMIT ?
    """)
  static let newest = SQLStatement("SELECT newest FROM notification_count")
  static let countUp = SQLStatement("UPDATE notification_count SET newest = newest + ?")
  static let owners = SQLStatement(
    "SELECT number, owner FROM notifications WHERE number > ? ORDER BY number LIMIT ?")
  private static let state = "SELECT badge, added FROM notification_users WHERE owner = ?"
  static let user = SQLStatement(state)
  static let lockUser = SQLStatement { state + $0.forUpdate("notification_users") }
  static let setBadge = SQLStatement(
    """
    INSERT INTO notification_users (owner, badge, added) VALUES (?, ?, 0)
    ON CONFLICT (owner) DO UPDATE SET badge = excluded.badge
    """)
  static let setUser = SQLStatement(
    """
    INSERT INTO notification_users (owner, badge, added) VALUES (?, ?, ?)
    ON CONFLICT (owner) DO UPDATE SET badge = excluded.badge, added = excluded.added
    """)
  static let ids = SQLStatement(
    """
    SELECT number, notification_id, read_number FROM notifications
    WHERE owner = ? ORDER BY number
    """)
  static let markRead = SQLStatement(
    "UPDATE notifications SET read_number = ? WHERE number = ?")
  static let prune = SQLStatement(
    """
    DELETE FROM notifications WHERE number IN (
      SELECT number FROM notifications WHERE created_at < ? ORDER BY created_at LIMIT ?)
    """)
}
