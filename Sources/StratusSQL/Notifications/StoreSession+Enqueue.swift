public import StratusDomain
import StratusWire

extension StoreSession {
  public func enqueue(_ notifications: [NewNotification]) throws(ServerError) {
    guard !notifications.isEmpty else { return }
    var (number, base) = try drawNotifications(notifications.count)
    var states: [ExactName: QueueState] = [:]
    for notification in notifications {
      let user = ExactName(notification.user)
      var state: QueueState
      if let known = states[user] {
        state = known
      } else {
        state = try lockQueueState(of: notification.user, after: base)
      }
      number += 1
      state.newest += 1
      state.added += 1
      var payload = notification.payload
      if notification.shouldBadge {
        state.badge += 1
        payload.presentation.badge = Int(state.badge)
      }
      states[user] = state
      let origin = try replaceCoalesced(with: notification)
      try connection.queue(
        EnqueueStatements.insert,
        [
          .integer(number), .text(notification.user), .text(payload.notificationID),
          .optional(origin), .optional(notification.coalescingKey),
          .integer(notification.createdAt), .bytes(payload.jsonBytes), .integer(state.newest),
        ])
      if state.added % Self.notificationsPerTrim == 0 { try trimQueue(of: notification.user) }
    }
    for (user, state) in states { try write(state, of: user.text) }
  }

  /// The number of added notifications after which a queue is trimmed. Trimming scans the whole
  /// queue.
  private static let notificationsPerTrim: Int64 = 32

  /// Removes the notifications that a new notification replaces. Notifications that are marked as
  /// read stay, because each device that fetched such a notification must still receive the mark.
  ///
  /// - Returns: the device that does not need the new notification. nil means that every device
  ///   needs it.
  private func replaceCoalesced(
    with notification: NewNotification
  ) throws(ServerError) -> String? {
    guard let key = notification.coalescingKey else { return notification.originDeviceID }
    let values: [SQLValue] = [.text(notification.user), .text(key)]
    let replaced = try connection.all(EnqueueStatements.coalesced, values) { row in
      (number: row.integer(0), origin: row.optionalText(1))
    }
    if replaced.isEmpty { return notification.originDeviceID }
    try connection.queue(EnqueueStatements.removeCoalesced, values)
    guard let origin = notification.originDeviceID else { return nil }
    let device = try device(id: origin, of: notification.user)
    for (number, others) in replaced {
      // The device knows its own changes and the changes of which it was notified.
      if let others, ExactName(others) == ExactName(origin) { continue }
      if let device, device.acknowledged < number { return nil }
    }
    return origin
  }

  /// Removes all notifications of a queue except the newest ``Limits/queuedNotificationsMax``. Of
  /// these, removes the notifications that every device has acknowledged, except the newest
  /// ``Limits/keptNotificationsMax`` of the queue.
  private func trimQueue(of user: String) throws(ServerError) {
    let acknowledged = try connection.first(EnqueueStatements.acknowledged, [.text(user)]) { row in
      row.isNull(0) ? Int64.max : row.integer(0)
    }
    for (kept, limit) in [
      (Limits.queuedNotificationsMax, Int64.max),
      (Limits.keptNotificationsMax, acknowledged ?? .max),
    ] {
      let newest = try connection.first(
        EnqueueStatements.nthNewest, [.text(user), .integer(Int64(kept))]
      ) { $0.integer(0) }
      guard let newest else { continue }
      try connection.queue(
        EnqueueStatements.trim, [.text(user), .integer(min(newest, limit))])
    }
  }
}

private enum EnqueueStatements {
  static let insert = SQLStatement(
    """
    INSERT INTO notifications (
      number, owner, notification_id, origin_device, coalescing_key, created_at, payload,
      user_number)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let coalesced = SQLStatement(
    """
    SELECT user_number, origin_device FROM notifications
    WHERE owner = ? AND coalescing_key = ? AND read_number IS NULL
    """)
  static let removeCoalesced = SQLStatement(
    """
    DELETE FROM notifications WHERE owner = ? AND coalescing_key = ? AND read_number IS NULL
    """)
  static let acknowledged = SQLStatement(
    "SELECT MIN(acknowledged) FROM devices WHERE owner = ?")
  static let nthNewest = SQLStatement(
    """
    SELECT user_number FROM notifications WHERE owner = ?
    ORDER BY user_number DESC LIMIT 1 OFFSET ?
    """)
  static let trim = SQLStatement(
    "DELETE FROM notifications WHERE owner = ? AND user_number <= ?")
}
