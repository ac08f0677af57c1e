import StratusWire

/// Leads a request about notifications to the store and the device it is about.
struct DeviceAccess: Sendable {
  let databases: DatabaseAccess
  let ambient: Ambient

  /// Opens the store for the caller's own devices and notifications.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if nobody is signed in.
  func open(
    _ address: DatabaseAddress, for caller: Caller
  ) async throws(ServerError) -> (store: any Store, user: String) {
    let user = try caller.requireUser()
    // NB: whatever database the path names, if any: these are the user's (web-services §1.1).
    let own = DatabaseAddress(store: address.store, scope: .private)
    return (try await databases.open(own, for: caller).store, user)
  }
}

extension Caller {
  /// What the device calls itself.
  ///
  /// - Throws: `BAD_REQUEST` if it does not say.
  func requireDevice() throws(ServerError) -> String {
    guard let clientID else { throw .badRequest(Reason.clientIDMissing) }
    return clientID
  }

  /// What the device calls itself; nil: it does not say.
  var clientID: String? { deviceID == Self.namelessDeviceID ? nil : deviceID }
}
