import StratusWire

/// Signs and reads the tokens with which web clients poll for notifications.
///
/// CloudKit JS polls for all its containers with one token. It creates the token for one container,
/// and registers the token with the others. A token therefore names a device in each of several
/// stores.
struct CourierTokens: Sendable {
  /// A device in one store, with an ID that cannot be guessed.
  struct Device: Sendable, Hashable {
    var store: StoreAddress
    var courierID: String
  }

  private static let version: UInt8 = 1
  private static let purpose: UInt8 = 9
  private static let signatureCount = 32
  /// The maximum number of stores in a token, which is part of a URL. The oldest stores are
  /// dropped.
  private static let devicesMax = 16

  let signer: any TicketSigner

  func text(_ devices: [Device]) -> String {
    var packed = PackedBytes()
    packed.add(Self.purpose)
    packed.add(Self.version)
    for device in devices.suffix(Self.devicesMax) {
      packed.add(device.store.container)
      packed.add(device.store.environment.rawValue)
      packed.add(device.courierID)
    }
    return Base64.encodeForURL(packed.bytes + signer.signature(of: packed.bytes))
  }

  /// Returns the devices in a token, or nil if this server did not sign the text.
  func devices(_ text: String) -> [Device]? {
    guard let bytes = Base64.decodeFromURL(text), bytes.count > Self.signatureCount else {
      return nil
    }
    let body = Array(bytes.dropLast(Self.signatureCount))
    guard signer.isValid(Array(bytes.suffix(Self.signatureCount)), of: body) else { return nil }
    var packed = PackedReader(body[...])
    guard packed.byte() == Self.purpose, packed.byte() == Self.version else { return nil }
    var devices: [Device] = []
    while let container = packed.string() {
      guard let word = packed.string(), let environment = ContainerEnvironment(rawValue: word),
        let id = packed.string()
      else { return nil }
      let store = StoreAddress(container: container, environment: environment)
      devices.append(Device(store: store, courierID: id))
    }
    return devices
  }
}
