/// Delivers notifications to the current listeners: streams, long polls, and the listeners of
/// tests.
public protocol NotificationListening: Sendable {
  /// Delivers the waiting notifications to a listener, then new ones as they arrive, until the
  /// listener leaves or is disconnected.
  ///
  /// - Parameters:
  ///   - devices: the devices whose notifications are delivered. For each device, the delivery
  ///     begins after the device's position.
  ///   - deadline: the time when the listener is disconnected, in milliseconds since 1970 UTC, or
  ///     nil if there is no such time.
  func join(
    _ listener: any NotificationListener, as devices: [ListeningDevice], until deadline: Int64?)

  /// Stops deliveries to a listener. Deliveries that were already passed to the listener's group
  /// still arrive.
  func leave(_ listener: any NotificationListener, as devices: [ListeningDevice])

  /// Remembers that a device has all notifications up to this number. Listeners of the device see
  /// the change at once. The store is updated a little later.
  func consume(through number: Int64, by device: ListeningDevice)
}

/// A listener for notifications.
public protocol NotificationListener: AnyObject, Sendable {
  /// The group that delivers notifications to the listener.
  var group: any DeliveryGroup { get }
}

/// Delivers notifications to many listeners at once, for example to all listeners of one event
/// loop.
public protocol DeliveryGroup: AnyObject, Sendable {
  /// Delivers the same notifications to listeners of this group.
  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener])

  /// Sends each listener's client a sign that the connection still works.
  func keepAlive(_ listeners: [any NotificationListener])

  /// Disconnects listeners: their time is over, their session has ended, their account is disabled
  /// or restricted, or the server stops.
  func release(_ listeners: [any NotificationListener])
}

/// Consecutive notifications of one user, for one or more devices.
///
/// If a listener's position is below ``after``, it has missed notifications, and must ignore the
/// delivery.
public struct NotificationDelivery: Sendable {
  public var store: StoreAddress
  public var user: String
  /// The delivery contains the notifications with numbers above this one.
  public var after: Int64
  /// The delivery contains the notifications up to this number.
  public var through: Int64
  public var notifications: [QueuedNotification]

  public init(
    store: StoreAddress, user: String, after: Int64, through: Int64,
    notifications: [QueuedNotification]
  ) {
    self.store = store
    self.user = user
    self.after = after
    self.through = through
    self.notifications = notifications
  }
}

/// A device with a current listener.
public struct ListeningDevice: Sendable, Hashable {
  public var store: StoreAddress
  public var user: String
  public var deviceID: String
  /// The device has all notifications up to this number.
  public var position: Int64
  /// The session that the device listens in, or nil if it listens without a session. When the
  /// session ends, the listener is disconnected.
  public var sessionID: String?

  public init(
    store: StoreAddress, user: String, deviceID: String, position: Int64, sessionID: String? = nil
  ) {
    self.store = store
    self.user = user
    self.deviceID = deviceID
    self.position = position
    self.sessionID = sessionID
  }
}
