import StratusWire

/// Answers `notifications/acknowledge`.
///
/// Choice: the request succeeds even if the device is unknown or was removed. When such a device
/// listens again, it begins at the end of the queue, or after the last event that it names.
struct AcknowledgeNotificationsHandler: EndpointHandler {
  typealias Endpoint = AcknowledgeNotifications

  let devices: DeviceAccess

  func answer(
    _ request: AcknowledgeNotifications.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> AcknowledgeNotifications.Response {
    let (store, user) = try await devices.open(address, for: caller)
    let deviceID = try caller.requireDevice()
    let now = devices.ambient.now()
    try await store.write { (store) throws(ServerError) in
      try store.acknowledge(through: request.through, by: deviceID, of: user)
      try store.touch(deviceID: deviceID, of: user, now: now)
    }
    return EmptyRequest()
  }
}
