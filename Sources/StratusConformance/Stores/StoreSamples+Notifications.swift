import StratusDomain
import StratusWire

extension Sample {
  /// Returns a notification about a zone, by default for Ann.
  static func notification(
    _ id: String, for user: String = "_ann", from device: String? = nil, key: String? = nil,
    badges: Bool = false, at time: Int64 = 1_000
  ) -> NewNotification {
    let event = NotificationPayload.Event.zone(
      subscriptionID: "sub", ZoneID(zoneName: "Notes"), .private)
    return NewNotification(
      user: user,
      payload: NotificationPayload(
        containerIdentifier: "iCloud.org.example", notificationID: id, userRecordName: user,
        event: event),
      shouldBadge: badges, originDeviceID: device, coalescingKey: key, createdAt: time)
  }

  static func device(
    _ id: String, of user: String = "_ann", _ channel: DeviceChannel = .stream,
    has number: Int64 = 0, seen: Int64 = 1_000
  ) -> StoredDevice {
    StoredDevice(
      user: user, deviceID: id, channel: channel, acknowledged: number, seen: seen)
  }
}

extension StoreReading {
  /// Returns all notifications in a user's queue.
  func queue(
    of user: String = "_ann", after number: Int64 = 0
  ) throws(ServerError) -> [QueuedNotification] {
    try notifications(of: user, after: number, limit: 5_000, sizeBytesMax: .max)
  }
}
