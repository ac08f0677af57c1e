import StratusWire

/// Answers `tokens/register`.
struct RegisterTokenHandler: EndpointHandler {
  typealias Endpoint = RegisterToken

  let devices: DeviceAccess
  let tokens: CourierTokens
  /// Gets a signal if the registered device has waiting notifications.
  let queues: any Signals

  func answer(
    _ request: RegisterToken.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> RegisterToken.Response {
    let (store, user) = try await devices.open(address, for: caller)
    let clientID = try Self.checked(request.clientID) ?? caller.clientID
    var response = RegisterToken.Response(
      apnsEnvironment: request.apnsEnvironment, apnsToken: request.apnsToken, webcourierURL: nil)
    let channel: DeviceChannel
    if var known = tokens.devices(request.apnsToken) {
      if !known.contains(where: { $0.store == address.store }) {
        known.append(.init(store: address.store, courierID: devices.ambient.makeUUID()))
        response.apnsToken = tokens.text(known)
      }
      guard let entry = known.last(where: { $0.store == address.store }) else {
        throw .fault("a token does not have the store it was just given")
      }
      channel = .courier(token: entry.courierID)
      response.webcourierURL = caller.courierURL(response.apnsToken)
    } else {
      try Self.checkAPNsToken(request.apnsToken)
      channel = .apns(token: request.apnsToken.lowercased(), request.apnsEnvironment)
    }
    let (now, fresh) = (devices.ambient.now(), devices.ambient.makeUUID())
    let waiting = try await store.write { (store) throws(ServerError) -> StoredDevice? in
      let known = try store.device(reachedBy: channel)
      let isSameUser = known.map { ExactName($0.user) == ExactName(user) } ?? false
      let ownDeviceID = isSameUser ? known?.deviceID : nil
      // If a token moves to another user, the new user gets nothing from the former user's queue.
      let newest = try store.latestNotification(of: user)
      let deviceID = clientID ?? ownDeviceID ?? fresh
      try store.register(
        StoredDevice(
          user: user, deviceID: deviceID, channel: channel,
          acknowledged: isSameUser ? known?.acknowledged ?? newest : newest, seen: now,
          sessionID: caller.principal.sessionID))
      guard let device = try store.device(id: deviceID, of: user),
        device.acknowledged < newest
      else { return nil }
      return device
    }
    // Without this signal, the notifications that are already queued would be delivered only with
    // the next new notification.
    if let waiting { queues.send(StoreSignal(address.store, about: waiting)) }
    return response
  }

  /// - Throws: `BAD_REQUEST` if the ID is empty or too long.
  static func checked(_ clientID: String?) throws(ServerError) -> String? {
    guard let clientID else { return nil }
    if clientID.isEmpty || clientID.utf16.count > Limits.clientIDLengthMax {
      throw .badRequest("clientId must have 1 to \(Limits.clientIDLengthMax) characters")
    }
    return clientID
  }

  /// Choice: a token must have only hex digits, like all tokens of APNs. It becomes part of a URL.
  private static func checkAPNsToken(_ token: String) throws(ServerError) {
    let isHex = token.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
      case _: false
      }
    }
    guard isHex, (16...Limits.apnsTokenLengthMax).contains(token.utf8.count) else {
      throw .badRequest("apnsToken is neither a token of tokens/create nor one of APNs")
    }
  }
}
