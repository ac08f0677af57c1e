import StratusWire

/// Answers `tokens/create`.
struct CreateTokenHandler: EndpointHandler {
  typealias Endpoint = CreateToken

  let devices: DeviceAccess
  let tokens: CourierTokens

  func answer(
    _ request: CreateToken.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> CreateToken.Response {
    let (store, user) = try await devices.open(address, for: caller)
    let deviceID =
      try RegisterTokenHandler.checked(request.clientID) ?? caller.clientID
      ?? devices.ambient.makeUUID()
    let (now, fresh) = (devices.ambient.now(), devices.ambient.makeUUID())
    let courierID = try await store.write { (store) throws(ServerError) in
      var courierID = fresh
      // A device that is registered already keeps the ID in its URL, because it may be polling that
      // URL.
      if let known = try store.device(id: deviceID, of: user),
        case .courier(let standing) = known.channel
      {
        courierID = standing
      }
      try store.register(
        StoredDevice(
          user: user, deviceID: deviceID, channel: .courier(token: courierID),
          acknowledged: try store.latestNotification(of: user), seen: now,
          sessionID: caller.principal.sessionID))
      return courierID
    }
    let token = tokens.text([.init(store: address.store, courierID: courierID)])
    return CreateToken.Response(
      apnsEnvironment: request.apnsEnvironment, apnsToken: token,
      webcourierURL: caller.courierURL(token))
  }
}

extension Caller {
  /// Returns the URL that a client polls with a token.
  func courierURL(_ token: String) -> String { serverURL + "/push/" + token }
}
