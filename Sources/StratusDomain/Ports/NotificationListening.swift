/// Feeds those who listen for notifications right now: streams, long polls, tests.
public protocol NotificationListening: Sendable {
  /// Hands a listener what waits for it, and from then on what comes, until it leaves.
  ///
  /// - Parameters:
  ///   - devices: whose notifications it gets, each behind its place.
  ///   - deadline: when it is released, in milliseconds since 1970 UTC; nil: never.
  func join(
    _ listener: any NotificationListener, as devices: [ListeningDevice], until deadline: Int64?)

  /// Hands a listener nothing more, but for what is under way to its lane.
  func leave(_ listener: any NotificationListener, as devices: [ListeningDevice])

  /// Notes that a device has all up to a number, now for whoever listens in its name, and soon in
  /// the store.
  func consume(through number: Int64, by device: ListeningDevice)
}

/// One who listens for notifications.
public protocol NotificationListener: AnyObject, Sendable {
  /// Where it is reached.
  var lane: any NotificationLane { get }
}

/// What reaches many listeners in one go, e.g. an event loop.
public protocol NotificationLane: AnyObject, Sendable {
  /// Hands the same notifications to listeners of this lane.
  func deliver(_ delivery: NotificationDelivery, to listeners: [any NotificationListener])

  /// Tells those at the other end that the connection stands.
  func keepAlive(_ listeners: [any NotificationListener])

  /// Lets listeners go: their time is up, or the server ends.
  func release(_ listeners: [any NotificationListener])
}

/// Some of one user's notifications, for one device or several.
///
/// Who is not at ``after`` or behind it has missed something, and must take nothing of this.
public struct NotificationDelivery: Sendable {
  public var store: StoreAddress
  public var user: String
  /// The notifications are all there are behind this number …
  public var after: Int64
  /// … up to this, but for those that pass over the device.
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

/// A device whose notifications somebody listens for.
public struct ListeningDevice: Sendable, Hashable {
  public var store: StoreAddress
  public var user: String
  public var deviceID: String
  /// It has all notifications up to this number.
  public var place: Int64

  public init(store: StoreAddress, user: String, deviceID: String, place: Int64) {
    self.store = store
    self.user = user
    self.deviceID = deviceID
    self.place = place
  }
}
