public import StratusWire

/// Reads the devices that receive users' notifications.
public protocol DeviceReading {
  /// A user's devices, in the byte order of their IDs.
  func devices(of user: String) throws(ServerError) -> [StoredDevice]

  /// A user's device; nil: it does not exist, or was removed because it was not seen for too long.
  func device(id: String, of user: String) throws(ServerError) -> StoredDevice?

  /// The device that has a channel with a token; nil: there is none. The stream channel has no
  /// token and finds no device.
  func device(reachedBy channel: DeviceChannel) throws(ServerError) -> StoredDevice?
}

/// Stores the devices of users.
public protocol DeviceWriting {
  /// Adds a device, or changes the channel and the session of a known one, which keeps its
  /// acknowledged position.
  ///
  /// A token belongs to one device: another device with the same token is removed. A user has at
  /// most ``Limits/devicesPerUserMax`` devices. Beyond that, the devices unseen for longest are
  /// removed.
  ///
  /// - Parameter device: ``StoredDevice/acknowledged`` applies only to a new device.
  func register(_ device: StoredDevice) throws(ServerError)

  /// Notes that a known device has all notifications up to a number. The position never goes back.
  ///
  /// - Parameter number: it is limited to the newest number in the store.
  func acknowledge(
    through number: Int64, by deviceID: String, of user: String
  ) throws(ServerError)

  /// Notes that a known device was seen.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func touch(deviceID: String, of user: String, now: Int64) throws(ServerError)

  /// Removes the token of a device, if its channel is still the given one. The device keeps its
  /// acknowledged position and counts as seen, so that it has the full time to register a new
  /// token.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func removeToken(of device: StoredDevice, now: Int64) throws(ServerError)
}

/// The channel that reaches a device.
public enum DeviceChannel: Sendable, Hashable {
  /// The device holds a stream open.
  case stream
  /// The device polls a URL that contains the token.
  case courier(token: String)
  /// The device is reached by APNs, with the token that APNs gave to the app.
  case apns(token: String, ContainerEnvironment)
}

/// A device of a user.
public struct StoredDevice: Sendable, Hashable {
  /// A user record name.
  public var user: String
  /// The device's own ID: the `clientId` of its requests.
  public var deviceID: String
  public var channel: DeviceChannel
  /// The device has all notifications up to this number.
  public var acknowledged: Int64
  /// The time when the device was last seen, accurate to the hour; milliseconds since 1970 UTC.
  public var seen: Int64
  /// The session that registered the channel; nil: there is none, or an earlier version of the
  /// server stored the device.
  public var sessionID: String?

  public init(
    user: String, deviceID: String, channel: DeviceChannel, acknowledged: Int64, seen: Int64,
    sessionID: String? = nil
  ) {
    self.sessionID = sessionID
    self.user = user
    self.deviceID = deviceID
    self.channel = channel
    self.acknowledged = acknowledged
    self.seen = seen
  }
}
