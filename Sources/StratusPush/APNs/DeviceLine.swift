import StratusDomain
import StratusWire

/// A device that may have waiting notifications.
struct DeviceInLine: Hashable, Sendable {
  let store: StoreAddress
  let user: ExactName
  let deviceID: ExactName
  /// The environment of Apple's push service that reaches the device.
  let environment: ContainerEnvironment

  /// - Returns: nil if Apple's push service does not reach the device.
  init?(_ device: StoredDevice, at address: StoreAddress) {
    guard case .apns(_, let environment) = device.channel else { return nil }
    store = address
    user = ExactName(device.user)
    deviceID = ExactName(device.deviceID)
    self.environment = environment
  }
}

/// A first-in, first-out queue of devices, which contains each device at most once.
struct DeviceLine: Sendable {
  private var devices: [DeviceInLine] = []
  private var first = 0
  private var members: Set<DeviceInLine> = []

  var count: Int { members.count }

  /// Appends a device, unless it is in the queue.
  mutating func append(_ device: DeviceInLine) {
    if members.insert(device).inserted { devices.append(device) }
  }

  mutating func popFirst() -> DeviceInLine? {
    guard first < devices.count else { return nil }
    let device = devices[first]
    first += 1
    members.remove(device)
    // Taken elements are removed rarely and many at a time, so that the average cost is low.
    if first * 2 > devices.count, first > 64 || first == devices.count {
      devices.removeFirst(first)
      first = 0
    }
    return device
  }
}
