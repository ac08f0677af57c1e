public import StratusDomain
import StratusWire

extension StoreSession {
  public func devices(of user: String) throws(ServerError) -> [StoredDevice] {
    try connection.all(DeviceStatements.all, [.text(user)]) { Self.device($0) }
  }

  public func device(id: String, of user: String) throws(ServerError) -> StoredDevice? {
    try connection.first(DeviceStatements.find, [.text(user), .text(id)]) { Self.device($0) }
  }

  public func device(
    reachedBy channel: DeviceChannel
  ) throws(ServerError) -> StoredDevice? {
    guard let token = channel.token else { return nil }
    return try connection.first(
      DeviceStatements.findByToken,
      [.text(token), .integer(channel.number), .integer(channel.environmentNumber)]
    ) { Self.device($0) }
  }

  public func register(_ device: StoredDevice) throws(ServerError) {
    if let known = try self.device(reachedBy: device.channel),
      ExactName(known.user) != ExactName(device.user)
        || ExactName(known.deviceID) != ExactName(device.deviceID)
    {
      try connection.queue(
        DeviceStatements.remove, [.text(known.user), .text(known.deviceID)])
    }
    try connection.queue(
      DeviceStatements.register,
      [
        .text(device.user), .text(device.deviceID), .integer(device.channel.number),
        .integer(device.channel.environmentNumber), .optional(device.channel.token),
        .integer(device.acknowledged), .integer(device.seen), .optional(device.sessionID),
      ])
    let others = try connection.all(
      DeviceStatements.others, [.text(device.user), .text(device.deviceID)]
    ) { (id: $0.text(0), seen: $0.integer(1)) }
    if others.count < Limits.devicesPerUserMax { return }
    let newest = others.sorted { $0.seen > $1.seen }
    for other in newest.dropFirst(Limits.devicesPerUserMax - 1) {
      try connection.queue(DeviceStatements.remove, [.text(device.user), .text(other.id)])
    }
  }

  public func acknowledge(
    through number: Int64, by deviceID: String, of user: String
  ) throws(ServerError) {
    let number = min(number, try queueEnd(of: user).number)
    try connection.queue(
      DeviceStatements.acknowledge,
      [.integer(number), .text(user), .text(deviceID), .integer(number)])
  }

  public func touch(deviceID: String, of user: String, now: Int64) throws(ServerError) {
    try connection.queue(
      DeviceStatements.touch,
      [.integer(now), .text(user), .text(deviceID), .integer(now - Self.touchMilliseconds)])
  }

  public func removeToken(of device: StoredDevice, now: Int64) throws(ServerError) {
    guard var known = try self.device(id: device.deviceID, of: device.user),
      known.channel == device.channel
    else { return }
    known.channel = .stream
    known.seen = max(known.seen, now)
    try register(known)
  }

  /// Removes devices that have not been seen for a long time.
  ///
  /// - Returns: the number of removed devices.
  func removeDevices(unseenSince time: Int64, limit: Int) throws(ServerError) -> Int {
    let devices = try connection.all(
      DeviceStatements.unseen, [.integer(time), .integer(Int64(limit))]
    ) { (user: $0.text(0), deviceID: $0.text(1)) }
    for (user, deviceID) in devices {
      try connection.queue(DeviceStatements.remove, [.text(user), .text(deviceID)])
    }
    return devices.count
  }

  /// The minimum time between two updates of a device's last-seen time. Choice: one hour, so that a
  /// busy device does not cause a write for each request.
  private static let touchMilliseconds: Int64 = 3_600_000

  private static func device(_ row: any SQLRow) -> StoredDevice {
    StoredDevice(
      user: row.text(0), deviceID: row.text(1),
      channel: DeviceChannel(
        number: row.integer(2), environmentNumber: row.integer(3), token: row.text(4)),
      acknowledged: row.integer(5), seen: row.integer(6), sessionID: row.optionalText(7))
  }
}

extension DeviceChannel {
  static let apnsNumber: Int64 = 2

  /// Decodes the channel from its columns.
  fileprivate init(number: Int64, environmentNumber: Int64, token: String) {
    switch number {
    case 1: self = .courier(token: token)
    case Self.apnsNumber:
      self = .apns(token: token, environmentNumber == 1 ? .development : .production)
    case _: self = .stream
    }
  }

  fileprivate var number: Int64 {
    switch self {
    case .stream: 0
    case .courier: 1
    case .apns: Self.apnsNumber
    }
  }

  fileprivate var environmentNumber: Int64 {
    switch self {
    case .stream, .courier, .apns(_, .production): 0
    case .apns(_, .development): 1
    }
  }

  fileprivate var token: String? {
    switch self {
    case .stream: nil
    case .courier(let token), .apns(let token, _): token
    }
  }
}

enum DeviceStatements {
  private static let columns =
    "owner, device, channel, environment, token, acknowledged, seen, session"

  static let all = SQLStatement(
    "SELECT \(columns) FROM devices WHERE owner = ? ORDER BY device")
  static let find = SQLStatement(
    "SELECT \(columns) FROM devices WHERE owner = ? AND device = ?")
  static let findByToken = SQLStatement(
    """
    SELECT \(columns) FROM devices WHERE token = ? AND channel = ? AND environment = ?
    """)
  static let remove = SQLStatement("DELETE FROM devices WHERE owner = ? AND device = ?")
  /// NB: the condition must be exactly the condition of the index `devices_seen`. Otherwise SQLite
  /// would also scan the devices that receive notifications by APNs.
  static let unseen = SQLStatement(
    """
    SELECT owner, device FROM devices WHERE seen < ? AND channel <> \(DeviceChannel.apnsNumber)
    ORDER BY seen LIMIT ?
    """)
  static let register = SQLStatement(
    """
    INSERT INTO devices (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner, device) DO UPDATE SET channel = excluded.channel,
      environment = excluded.environment, token = excluded.token, seen = excluded.seen,
      session = excluded.session
    """)
  static let others = SQLStatement(
    "SELECT device, seen FROM devices WHERE owner = ? AND device <> ?")
  static let acknowledge = SQLStatement(
    """
    UPDATE devices SET acknowledged = ? WHERE owner = ? AND device = ? AND acknowledged < ?
    """)
  static let touch = SQLStatement(
    "UPDATE devices SET seen = ? WHERE owner = ? AND device = ? AND seen <= ?")
}
