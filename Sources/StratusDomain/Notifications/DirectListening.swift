public import StratusWire

/// Methods to listen without a connection, for tests and code in the same process.
extension NotificationListening {
  /// Returns a sequence of the notifications after the device's position. The sequence continues
  /// until the caller drops it, or the device is disconnected, for example when the server stops.
  /// No notification is acknowledged.
  public func notifications(of device: ListeningDevice) -> AsyncStream<NumberedNotification> {
    listen(as: device) { notification in
      guard let payload = try? notification.payload() else { return nil }
      return NumberedNotification(
        number: notification.number, payload: payload, isRead: notification.isRead)
    }
  }

  /// Like ``notifications(of:)``, but converts each notification with `form`. If `form` returns
  /// nil, the notification is skipped.
  ///
  /// - Parameter slot: an object that is kept alive until the sequence ends.
  public func listen<Form: Sendable>(
    as device: ListeningDevice, on slot: StreamSlot? = nil,
    _ form: @escaping @Sendable (QueuedNotification) -> Form?
  ) -> AsyncStream<Form> {
    let (stream, continuation) = AsyncStream.makeStream(of: Form.self)
    let listener = DirectListener { delivery in
      guard let delivery else { return continuation.finish() }
      for notification in delivery.notifications {
        if let form = form(notification) { continuation.yield(form) }
      }
    }
    continuation.onTermination = { _ in
      withExtendedLifetime(slot) { leave(listener, as: [device]) }
    }
    join(listener, as: [device], until: nil)
    return stream
  }

  /// Waits for the first notification for any of the devices, and acknowledges it. Returns its
  /// payload, or nil if the time is over or the task is cancelled.
  ///
  /// - Parameter deadline: milliseconds since 1970 UTC.
  public func poll(as devices: [ListeningDevice], until deadline: Int64) async -> [UInt8]? {
    let (answers, continuation) = AsyncStream.makeStream(
      of: NotificationDelivery?.self, bufferingPolicy: .bufferingOldest(1))
    let listener = DirectListener { delivery in
      if delivery?.notifications.isEmpty != true { continuation.yield(delivery) }
    }
    join(listener, as: devices, until: deadline)
    defer { leave(listener, as: devices) }
    var iterator = answers.makeAsyncIterator()
    guard let delivery = await iterator.next(isolation: nil) ?? nil,
      let first = delivery.notifications.first
    else { return nil }
    for device in devices where device.store == delivery.store && device.user == delivery.user {
      consume(through: first.number, by: device)
    }
    return first.payloadText
  }
}

/// A listener that passes each delivery on at once. It passes nil when it gets no more deliveries.
private final class DirectListener: NotificationListener {
  let take: @Sendable (NotificationDelivery?) -> Void

  init(take: @escaping @Sendable (NotificationDelivery?) -> Void) { self.take = take }

  var group: any DeliveryGroup { DirectDelivery.shared }
}

/// NB: listeners of this group never fall behind, so a delivery always begins at the listener's
/// position.
private final class DirectDelivery: DeliveryGroup {
  static let shared = DirectDelivery()

  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener]) {
    for case let listener as DirectListener in listeners { listener.take(delivery) }
  }

  func keepAlive(_ listeners: [any NotificationListener]) {}

  func release(_ listeners: [any NotificationListener]) {
    for case let listener as DirectListener in listeners { listener.take(nil) }
  }
}
