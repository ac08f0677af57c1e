import StratusWire

/// Admits listeners for notifications.
public struct ListeningAccess: Sendable {
  let devices: DeviceAccess
  let tokens: CourierTokens
  let slots: StreamSlots
  /// The maximum time that a poll waits, in seconds.
  public let holdSeconds: Int64

  private var stores: any StoreCatalog { devices.databases.stores }
  private var ambient: Ambient { devices.ambient }

  /// The time when a poll that begins now ends, in milliseconds since 1970 UTC.
  public var pollDeadline: Int64 { ambient.now() + holdSeconds * 1_000 }

  /// Opens a stream for the caller's device, and registers the device if it is new.
  ///
  /// - Parameter lastEventID: the number of the last event that the device received on an earlier
  ///   stream, or nil if it received none.
  /// - Returns: the device; the database's epoch, because a restore may have undone events of
  ///   another epoch; and the slot that counts the stream while it is open.
  /// - Throws: `AUTHENTICATION_REQUIRED` without a user; `BAD_REQUEST` without a `clientId`;
  ///   `THROTTLED` if the user has too many open streams.
  public func stream(
    for caller: Caller, at address: StoreAddress, lastEventID: Int64?
  ) async throws(ServerError) -> (device: ListeningDevice, epoch: Int64, slot: StreamSlot) {
    let (store, user) = try await devices.open(
      DatabaseAddress(store: address, scope: .private), for: caller)
    let deviceID = try caller.requireDevice()
    let slot = try slots.take(user)
    let now = ambient.now()
    let (known, newest, epoch) = try await store.read { (store) throws(ServerError) in
      (
        try store.device(id: deviceID, of: user), try store.latestNotification(of: user),
        try store.epoch(of: .private(user: user))
      )
    }
    var acknowledged = known?.acknowledged
    if known == nil {
      acknowledged = try await store.write { (store) throws(ServerError) in
        // Another request may have registered the device already.
        if let known = try store.device(id: deviceID, of: user) { return known.acknowledged }
        // A device that sends the number of its last event was registered before. The store no
        // longer has the device: it was removed, or a backup from before its registration was
        // restored. The device needs the notifications after that event.
        let newest = try store.latestNotification(of: user)
        let position = max(0, min(lastEventID ?? newest, newest))
        try store.register(
          StoredDevice(
            user: user, deviceID: deviceID, channel: .stream, acknowledged: position, seen: now,
            sessionID: caller.principal.sessionID))
        return position
      }
    } else if let known {
      try await touch(known, in: store)
    }
    var position = acknowledged ?? newest
    // NB: a number that the user has not had yet is ignored. A number from before a restore stays
    // valid, because no number is used twice.
    if let lastEventID, lastEventID <= newest { position = max(position, lastEventID) }
    let device = ListeningDevice(
      store: address, user: user, deviceID: deviceID, position: position,
      sessionID: caller.principal.sessionID)
    return (device, epoch, slot)
  }

  /// Returns the devices that a token polls for.
  ///
  /// - Parameter authentication: knows the disabled accounts and the ended sessions, which are not
  ///   part of the token.
  /// - Throws: `NOT_FOUND` if the token is not valid, or if none of its devices may listen any
  ///   more.
  public func poll(
    token: String, by authentication: any Authentication
  ) async throws(ServerError) -> [ListeningDevice] {
    var found: [ListeningDevice] = []
    for entry in tokens.devices(token) ?? [] {
      let store = try await stores.store(at: entry.store)
      let device = try await store.read { (store) throws(ServerError) in
        try store.device(reachedBy: .courier(token: entry.courierID))
      }
      guard let device,
        try await !authentication.disabledUsers(of: entry.store.container).contains(device.user)
      else { continue }
      if let session = device.sessionID,
        try await authentication.endedSessions(among: [session]).contains(session)
      {
        continue
      }
      try await touch(device, in: store)
      found.append(
        ListeningDevice(
          store: entry.store, user: device.user, deviceID: device.deviceID,
          position: device.acknowledged, sessionID: device.sessionID))
    }
    if found.isEmpty { throw ServerError(.notFound, Reason.tokenUnknown) }
    return found
  }

  /// Updates the time when the device was last seen, if the stored time is at least an hour old.
  ///
  /// NB: a device polls every few seconds, so most calls must not write.
  private func touch(_ device: StoredDevice, in store: any Store) async throws(ServerError) {
    let now = ambient.now()
    if now - device.seen < Self.touchMilliseconds { return }
    try await store.write { (store) throws(ServerError) in
      try store.touch(deviceID: device.deviceID, of: device.user, now: now)
    }
  }

  private static let touchMilliseconds: Int64 = 3_600_000
}
