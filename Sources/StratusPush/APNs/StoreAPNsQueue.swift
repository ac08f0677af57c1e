public import StratusDomain
import StratusWire

/// The notification queues and the devices of a store.
public struct StoreAPNsQueue: APNsQueue {
  /// The maximum number of bytes in one page of notifications. Each payload is later reduced to
  /// 4,096 bytes.
  private static let pageBytes = 64 * 4_096

  private let store: any Store
  /// Returns the time in milliseconds since 1970 UTC.
  private let now: @Sendable () -> Int64

  public init(_ store: any Store, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.now = now
  }

  public func devicesWithNews(
    after number: Int64, limit: Int
  ) async throws(ServerError) -> APNsDevicesWithNews {
    try await store.read { store throws(ServerError) in
      let news = try store.usersWithNews(after: number, limit: limit)
      var devices: [StoredDevice] = []
      for user in news.users {
        let reached = try store.devices(of: user).filter { device in
          if case .apns = device.channel { true } else { false }
        }
        if reached.isEmpty { continue }
        let newest = try store.latestNotification(of: user)
        devices += reached.filter { $0.acknowledged < newest }
      }
      return APNsDevicesWithNews(
        devices: devices, through: news.through, hasMore: news.hasMore)
    }
  }

  public func waiting(
    for deviceID: String, of user: String, limit: Int
  ) async throws(ServerError) -> APNsWaiting? {
    try await store.read { store throws(ServerError) in
      guard let device = try store.device(id: deviceID, of: user), case .apns = device.channel
      else { return nil }
      let page = try store.notifications(
        of: user, after: device.acknowledged, limit: limit, sizeBytesMax: Self.pageBytes)
      let sizeBytes = page.reduce(0) { $0 + $1.payloadText.count }
      return APNsWaiting(
        device: device, notifications: page,
        hasMore: page.count >= limit || sizeBytes >= Self.pageBytes)
    }
  }

  /// Stores the acknowledgement, and that the device is active.
  ///
  /// Choice: a device is active if Apple accepts a delivery to it. Apple reports when a device is
  /// gone, and a device may receive notifications for months without sending a request.
  public func acknowledge(
    through number: Int64, by device: StoredDevice
  ) async throws(ServerError) {
    let time = now()
    try await store.write { store throws(ServerError) in
      try store.acknowledge(through: number, by: device.deviceID, of: device.user)
      try store.touch(deviceID: device.deviceID, of: device.user, now: time)
    }
  }

  public func removeToken(of device: StoredDevice) async throws(ServerError) {
    let time = now()
    try await store.write { store throws(ServerError) in
      try store.removeToken(of: device, now: time)
    }
  }
}
