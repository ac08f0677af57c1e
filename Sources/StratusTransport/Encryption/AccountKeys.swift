import StratusWire

/// Shows the state of an account's key on this device, and replaces the key.
public struct AccountKeys: Sendable {
  private let connection: Connection
  private let deviceKeys: DeviceKeys

  public init(connection: Connection, deviceKeys: DeviceKeys) {
    self.connection = connection
    self.deviceKeys = deviceKeys
  }

  /// The state of the account's key on this device.
  public enum Standing: Sendable, Hashable {
    /// The account has no key, because no device has encrypted a value of the account yet.
    case unused
    /// This device has the account's key.
    case present(AccountKey)
    /// This device does not have the account's key.
    case missing
  }

  /// Asks the server which key the account has.
  public func standing() async throws(KeyFailure) -> Standing {
    let answer = try await send(FetchKeys.self, FetchKeys.Request())
    guard let publicKey = answer.publicKey else { return .unused }
    for key in try deviceKeys.all() where try self.publicKey(of: key, answer) == publicKey {
      return .present(key)
    }
    return .missing
  }

  /// Replaces the account's key. The server deletes every custom zone with encrypted values. The
  /// default zone keeps its records, but loses its keys.
  ///
  /// The newest key of this device becomes the account's key. If it is already the account's key, a
  /// new key is created and saved first.
  /// - Parameter randomness: returns the given number of cryptographically random bytes.
  /// - Returns: the new key, and the number of deleted zones.
  public func reset(
    randomness: @Sendable (Int) -> [UInt8]
  ) async throws(KeyFailure) -> (key: AccountKey, zoneCount: Int) {
    let answer = try await send(FetchKeys.self, FetchKeys.Request())
    var key = try deviceKeys.newest(orDrawnFrom: randomness)
    if try publicKey(of: key, answer) == answer.publicKey {
      key = try AccountKey(drawnFrom: randomness)
      try deviceKeys.add(key)
    }
    let request = ResetKeys.Request(
      publicKey: try publicKey(of: key, answer), replacedKey: answer.publicKey)
    var zoneCount = 0
    while true {
      let step = try await send(ResetKeys.self, request)
      zoneCount += step.zones.count
      if !step.moreComing { return (key, zoneCount) }
    }
  }

  private func publicKey(
    of key: AccountKey, _ answer: FetchKeys.Response
  ) throws(KeyFailure) -> [UInt8] {
    try key.publicKey(
      of: answer.userRecordName, container: connection.address.container,
      environment: connection.address.environment)
  }

  private func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(KeyFailure) -> E.Response {
    do {
      return try await connection.send(endpoint, request, to: .private, isIdempotent: true)
    } catch {
      throw .transport(error)
    }
  }
}
