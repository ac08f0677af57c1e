import StratusWire

/// Answers `notifications/read`.
struct MarkNotificationsReadHandler: EndpointHandler {
  typealias Endpoint = MarkNotificationsRead

  let devices: DeviceAccess

  func answer(
    _ request: MarkNotificationsRead.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> MarkNotificationsRead.Response {
    let (store, user) = try await devices.open(address, for: caller)
    if request.ids.count > Limits.notificationIDsPerRequestMax {
      throw .badRequest(Reason.batchTooLarge)
    }
    let found = try await store.write { (store) throws(ServerError) in
      try store.markRead(ids: request.ids, of: user)
    }
    return MarkNotificationsRead.Request(ids: found)
  }
}
