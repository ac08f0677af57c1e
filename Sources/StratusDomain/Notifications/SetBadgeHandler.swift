import StratusWire

/// Answers `notifications/badge`.
///
/// Choice: other devices get the number with the next notification that increments it.
struct SetBadgeHandler: EndpointHandler {
  typealias Endpoint = SetBadge

  let devices: DeviceAccess

  func answer(
    _ request: SetBadge.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> SetBadge.Response {
    let (store, user) = try await devices.open(address, for: caller)
    guard (0...Limits.badgeMax).contains(request.value) else {
      throw .badRequest("badge must be 0 to \(Limits.badgeMax)")
    }
    try await store.write { (store) throws(ServerError) in
      try store.setBadge(request.value, of: user)
    }
    return EmptyRequest()
  }
}
