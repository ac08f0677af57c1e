import StratusDomain
import StratusWire

/// A device that may have something to get.
struct DeviceInLine: Hashable, Sendable {
  let store: StoreAddress
  let user: ExactName
  let deviceID: ExactName
  /// Which of Apple's services reaches it.
  let environment: ContainerEnvironment

  /// - Returns: nil if none of Apple's services reaches it.
  init?(_ device: StoredDevice, at address: StoreAddress) {
    guard case .apns(_, let environment) = device.channel else { return nil }
    store = address
    user = ExactName(device.user)
    deviceID = ExactName(device.deviceID)
    self.environment = environment
  }
}

/// Devices in the order in which they came, each once.
struct DeviceLine: Sendable {
  private var devices: [DeviceInLine] = []
  private var first = 0
  private var members: Set<DeviceInLine> = []

  var count: Int { members.count }

  /// Adds a device at the end, unless it is in the line.
  mutating func append(_ device: DeviceInLine) {
    if members.insert(device).inserted { devices.append(device) }
  }

  mutating func popFirst() -> DeviceInLine? {
    guard first < devices.count else { return nil }
    let device = devices[first]
    first += 1
    members.remove(device)
    // Now and then, so that it costs little on the whole.
    if first * 2 > devices.count, first > 64 || first == devices.count {
      devices.removeFirst(first)
      first = 0
    }
    return device
  }
}
