import StratusDomain
import StratusWire

/// The requests of programs without a browser: they begin a sign-in, ask for its token, and end a
/// session (RFC 8628, RFC 7009). These requests have no cookies.
extension AccountPages {
  private typealias Refusal = DeviceSignIn.Refusal

  /// Answers a request of a program.
  ///
  /// - Returns: nil if the path belongs to a page.
  func answerDevice(_ request: PageRequest) async throws(ServerError) -> PageAnswer? {
    let isEncrypted = Visit.isPrivate(request.serverURL)
    switch request.path {
    case DeviceSignIn.authorizationPath, DeviceSignIn.tokenPath, DeviceSignIn.revocationPath:
      guard request.isPost else { return Self.json(Refusal(.invalidRequest, "send a POST"), 405) }
      guard isEncrypted else {
        return Self.json(Refusal(.invalidRequest, "a sign-in needs HTTPS"), 403)
      }
    default: return nil
    }
    await accounts.noticeChanges(now: accounts.ambient.now())
    let text = request.form[DeviceSignIn.Field.apiToken] ?? ""
    guard let apiToken = try await accounts.registry.apiToken(hash: APIToken.hash(ofText: text))
    else {
      return Self.json(Refusal(.invalidClient, "client_id must be a valid API token"), 401)
    }
    switch request.path {
    case DeviceSignIn.authorizationPath: return try await beginDevice(request, apiToken)
    case DeviceSignIn.tokenPath: return try await giveToken(request, apiToken)
    default:
      try await accounts.endSession(
        ofWebAuthToken: request.form[DeviceSignIn.Field.token] ?? "")
      return Self.json(EmptyRequest(), 200)
    }
  }

  private func beginDevice(
    _ request: PageRequest, _ apiToken: APIToken
  ) async throws(ServerError) -> PageAnswer {
    let codes = try await accounts.beginDevice(
      apiToken: apiToken, machine: request.form[DeviceSignIn.Field.machine] ?? "",
      clientAddress: request.clientAddress, subscriber: request.subscriber)
    guard let codes else {
      accounts.audit.noteRefusal(
        "the sign-in of a device was refused, because too many are waiting, from "
          + (request.subscriber ?? "an unknown address"), at: accounts.ambient.now())
      return Self.json(Refusal(.slowDown, "too many sign-ins are waiting; try again later"), 429)
    }
    let page = request.serverURL + DevicePage.path
    return Self.json(
      DeviceSignIn.Authorization(
        deviceCode: codes.deviceCode, userCode: UserCode.shown(codes.userCode),
        verificationURL: page,
        completeVerificationURL: request.serverURL + DevicePage.path(code: codes.userCode),
        expiresInSeconds: DeviceGrant.lifetimeMilliseconds / 1_000,
        intervalSeconds: DeviceGrant.intervalSeconds), 200)
  }

  private func giveToken(
    _ request: PageRequest, _ apiToken: APIToken
  ) async throws(ServerError) -> PageAnswer {
    guard request.form[DeviceSignIn.Field.grantType] == DeviceSignIn.grantType else {
      return Self.json(
        Refusal(.unsupportedGrantType, "grant_type must be \(DeviceSignIn.grantType)"), 400)
    }
    let code = request.form[DeviceSignIn.Field.deviceCode] ?? ""
    guard let device = try await accounts.device(code: code),
      device.grant.apiTokenHash == apiToken.hash
    else { return Self.json(Refusal(.expiredToken, "begin the sign-in again"), 400) }
    guard pollPace.admit(device.step.hash, now: accounts.ambient.now()) else {
      return Self.json(Refusal(.slowDown), 400)
    }
    switch device.grant.decision {
    case .none: return Self.json(Refusal(.authorizationPending), 400)
    case .refused:
      pollPace.forget(device.step.hash)
      return Self.json(Refusal(.accessDenied, "the user has refused"), 400)
    case .approved:
      guard let token = try await accounts.redeem(device, for: apiToken) else {
        return Self.json(Refusal(.expiredToken, "begin the sign-in again"), 400)
      }
      pollPace.forget(device.step.hash)
      return Self.json(token, 200)
    }
  }

  private static func json(_ value: some JSONWritable, _ status: Int) -> PageAnswer {
    PageAnswer(
      status: status,
      fields: [
        (name: "Content-Type", value: "application/json; charset=utf-8"),
        (name: "Content-Security-Policy", value: PageLayout.emptyPolicy),
      ] + PageLayout.secureFields, body: value.jsonBytes)
  }
}
