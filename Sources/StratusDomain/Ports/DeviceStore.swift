public import StratusWire

/// Reads the devices that receive users' notifications.
public protocol DeviceReading {
  /// Returns a user's devices, in the byte order of their IDs.
  func devices(of user: String) throws(ServerError) -> [StoredDevice]

  /// Returns a user's device, or nil if it does not exist or was removed because it was not seen
  /// for too long.
  func device(id: String, of user: String) throws(ServerError) -> StoredDevice?

  /// Returns the device with this channel and token, or nil if there is none. For the stream
  /// channel, which has no token, the result is nil.
  func device(reachedBy channel: DeviceChannel) throws(ServerError) -> StoredDevice?
}

/// Stores the devices of users.
public protocol DeviceWriting {
  /// Adds a device, or changes the channel, the session and the last-seen time of a known device. A
  /// known device keeps its acknowledged position.
  ///
  /// A token belongs to one device. Another device with the same token is removed. A user has at
  /// most ``Limits/devicesPerUserMax`` devices. If there are more, the devices that were not seen
  /// for the longest time are removed.
  ///
  /// - Parameter device: the device. ``StoredDevice/acknowledged`` is used only for a new device.
  func register(_ device: StoredDevice) throws(ServerError)

  /// Advances the position of a known device: the device has all notifications up to this number.
  /// The position never goes back.
  ///
  /// - Parameter number: the number. If it is greater than the user's newest number, the newest
  ///   number is used.
  func acknowledge(
    through number: Int64, by deviceID: String, of user: String
  ) throws(ServerError)

  /// Updates the time when a known device was last seen, unless the stored time is less than an
  /// hour old.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func touch(deviceID: String, of user: String, now: Int64) throws(ServerError)

  /// Removes the token of a device, unless the device has another channel by now. The device keeps
  /// its acknowledged position and counts as seen now, so that it is not removed before it can
  /// register a new token.
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
  /// The ID that the device gave itself, which is the `clientId` of its requests.
  public var deviceID: String
  public var channel: DeviceChannel
  /// The device has all notifications up to this number.
  public var acknowledged: Int64
  /// The time when the device was last seen, accurate to the hour, in milliseconds since 1970 UTC.
  public var seen: Int64
  /// The session that registered the channel. It is nil if there is no session, or if an earlier
  /// version of the server stored the device.
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
