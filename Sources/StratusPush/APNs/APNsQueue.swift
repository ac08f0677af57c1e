public import StratusDomain

/// The operations of a store that the channel needs. They concern notification queues, and devices
/// that Apple's push service reaches.
public protocol APNsQueue: Sendable {
  /// Returns the devices on Apple's push service whose users have notifications with numbers above
  /// `number`, which is a number of the store's counter. Devices that have acknowledged all
  /// notifications are left out.
  ///
  /// - Parameter limit: the maximum number of notifications to check.
  func devicesWithNews(
    after number: Int64, limit: Int
  ) async throws(ServerError) -> APNsDevicesWithNews

  /// Returns a device's current state and its waiting notifications, oldest first. The result is
  /// nil if Apple's push service no longer reaches the device.
  func waiting(
    for deviceID: String, of user: String, limit: Int
  ) async throws(ServerError) -> APNsWaiting?

  /// Advances the position of a device: the device has received all notifications up to this
  /// number.
  func acknowledge(
    through number: Int64, by device: StoredDevice
  ) async throws(ServerError)

  /// Removes a device's token, unless the device has changed its delivery channel. The device keeps
  /// its position in the queue.
  func removeToken(of device: StoredDevice) async throws(ServerError)
}

/// The devices that may have waiting notifications.
public struct APNsDevicesWithNews: Sendable {
  public var devices: [StoredDevice]
  /// The number of the store's counter from which the next call continues.
  public var through: Int64
  /// Whether there may be more notifications after this number.
  public var hasMore: Bool

  public init(devices: [StoredDevice], through: Int64, hasMore: Bool) {
    self.devices = devices
    self.through = through
    self.hasMore = hasMore
  }
}

/// The notifications that wait for a device.
public struct APNsWaiting: Sendable {
  public var device: StoredDevice
  public var notifications: [QueuedNotification]
  /// Whether more notifications may follow these notifications.
  public var hasMore: Bool

  public init(device: StoredDevice, notifications: [QueuedNotification], hasMore: Bool) {
    self.device = device
    self.notifications = notifications
    self.hasMore = hasMore
  }
}
