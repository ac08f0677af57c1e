public import StratusWire

/// Reads the devices of users: who is to hear notifications.
public protocol DeviceReading {
  /// A user's devices, in order of their IDs' bytes.
  func devices(of user: String) throws(ServerError) -> [StoredDevice]

  /// A user's device; nil: there is none, or it was not seen for too long.
  func device(id: String, of user: String) throws(ServerError) -> StoredDevice?

  /// The device that is reached by a channel with a token; nil: there is none, as for the stream,
  /// which has no token.
  func device(reachedBy channel: DeviceChannel) throws(ServerError) -> StoredDevice?
}

/// Keeps the devices of users.
public protocol DeviceWriting {
  /// Adds a device, or changes how a known one is reached; what it has acknowledged stays.
  ///
  /// A token leads to one device: any other with the same goes. A user has at most
  /// ``Limits/devicesPerUserMax``: beyond it those unseen for longest go.
  ///
  /// - Parameter device: ``StoredDevice/acknowledged`` is for a new one.
  func register(_ device: StoredDevice) throws(ServerError)

  /// Notes that a device has all notifications up to a number, if it is known; never fewer than
  /// before.
  ///
  /// - Parameter number: at most the newest there is counts.
  func acknowledge(
    through number: Int64, by deviceID: String, of user: String
  ) throws(ServerError)

  /// Notes that a device showed a sign of life, if it is known.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func touch(deviceID: String, of user: String, now: Int64) throws(ServerError)

  /// Forgets the token of a device, if it is still reached as it says. The device stays, with what
  /// it has acknowledged, and counts as seen: it has as long as any other to come with a new one.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func removeToken(of device: StoredDevice, now: Int64) throws(ServerError)
}

/// How a device is reached.
public enum DeviceChannel: Sendable, Hashable {
  /// It holds a stream open.
  case stream
  /// It polls a URL that the token is part of.
  case courier(token: String)
  /// By Apple's service, with the token it gave to the app.
  case apns(token: String, ContainerEnvironment)
}

/// A device of a user.
public struct StoredDevice: Sendable, Hashable {
  /// A user record name.
  public var user: String
  /// What it calls itself: the `clientId` of its requests.
  public var deviceID: String
  public var channel: DeviceChannel
  /// It has all notifications up to this number.
  public var acknowledged: Int64
  /// Its last sign of life, to the hour; milliseconds since 1970 UTC.
  public var seen: Int64

  public init(
    user: String, deviceID: String, channel: DeviceChannel, acknowledged: Int64, seen: Int64
  ) {
    self.user = user
    self.deviceID = deviceID
    self.channel = channel
    self.acknowledged = acknowledged
    self.seen = seen
  }
}
