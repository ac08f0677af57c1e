import StratusWire

/// Opens the store for requests about devices and notifications.
struct DeviceAccess: Sendable {
  let databases: DatabaseAccess
  let ambient: Ambient

  /// Opens the store for the caller's own devices and notifications.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in; the errors of
  ///   ``DatabaseAccess/open(_:for:to:needsUser:)``.
  func open(
    _ address: DatabaseAddress, for caller: Caller, to purpose: DatabaseAccess.Purpose = .write
  ) async throws(ServerError) -> (store: any Store, user: String) {
    let user = try caller.requireUser()
    // NB: the database in the path does not matter, since devices and notifications belong to the
    // user.
    let own = DatabaseAddress(
      store: address.store, scope: caller.isServerKey ? .public : .private)
    return (try await databases.open(own, for: caller, to: purpose).store, user)
  }
}

extension Caller {
  /// Returns the ID that the device gave itself.
  ///
  /// - Throws: `BAD_REQUEST` if the request does not contain the ID.
  func requireDevice() throws(ServerError) -> String {
    guard let clientID else { throw .badRequest(Reason.clientIDMissing) }
    return clientID
  }

  /// The ID that the device gave itself, or nil if the request does not contain it.
  var clientID: String? { deviceID == Self.namelessDeviceID ? nil : deviceID }
}
