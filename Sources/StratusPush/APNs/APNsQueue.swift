public import StratusDomain

/// The store operations of the channel: its queues, and the devices that Apple's service reaches.
public protocol APNsQueue: Sendable {
  /// Such devices of the users whose queues were added to behind a number.
  ///
  /// - Parameter limit: how many notifications are looked at.
  func devicesWithNews(
    after number: Int64, limit: Int
  ) async throws(ServerError) -> APNsDevicesWithNews

  /// A device as it is now, and what waits for it, oldest first; nil: Apple's service reaches it no
  /// longer.
  func waiting(
    for deviceID: String, of user: String, limit: Int
  ) async throws(ServerError) -> APNsWaiting?

  /// Notes that a device has all up to a number.
  func acknowledge(
    through number: Int64, by device: StoredDevice
  ) async throws(ServerError)

  /// Forgets a device's token, unless it is reached in another way by now; the device stays, with
  /// what it has.
  func removeToken(of device: StoredDevice) async throws(ServerError)
}

/// Devices for which there may be something.
public struct APNsDevicesWithNews: Sendable {
  public var devices: [StoredDevice]
  /// Where the next question goes on.
  public var through: Int64
  /// Whether there may be more behind it.
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
  /// Whether there may be more behind these.
  public var hasMore: Bool

  public init(device: StoredDevice, notifications: [QueuedNotification], hasMore: Bool) {
    self.device = device
    self.notifications = notifications
    self.hasMore = hasMore
  }
}
