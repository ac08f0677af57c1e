import StratusDomain
import StratusWire

extension Accounts {
  /// A device's sign-in that waits for its user, with the stored step that contains the sign-in.
  struct WaitingDevice: Sendable {
    let step: SignInStep
    let grant: DeviceGrant
  }

  private static func place(ofStep hash: [UInt8]) -> String { "sign-in step \(hash.hex)" }

  private func seal(_ text: String, hash: [UInt8]) throws(ServerError) -> [UInt8] {
    try secretSeal.seal(
      Array(text.utf8), at: Self.place(ofStep: hash), nonce: randomness(SecretSeal.nonceCount))
  }

  private func contents(of step: SignInStep) -> String? {
    secretSeal.open(step.sealedState, at: Self.place(ofStep: step.hash))
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Begins the sign-in of a device.
  ///
  /// - Returns: the codes, or nil if too many sign-ins are waiting.
  func beginDevice(
    apiToken: APIToken, machine: String, clientAddress: String?, subscriber: String?
  ) async throws(ServerError) -> (deviceCode: String, userCode: String)? {
    let now = ambient.now()
    // Two sign-ins can draw the same user code, although this is very improbable.
    for _ in 0..<3 {
      let deviceCode = randomness(32).hex
      let userCode = UserCode.draw(randomness)
      let hash = Digest.sha256(Array(deviceCode.utf8))
      let grant = DeviceGrant(
        apiTokenHash: apiToken.hash, userCodeHash: UserCode.hash(userCode),
        machine: ShownName.clean(machine), clientAddress: clientAddress ?? "",
        beganAt: now)
      let endsAt = now + DeviceGrant.lifetimeMilliseconds
      let steps = [
        SignInStep(
          kind: .device, hash: hash, subscriber: subscriber ?? "",
          sealedState: try seal(grant.text, hash: hash), endsAt: endsAt),
        SignInStep(
          kind: .userCode, hash: grant.userCodeHash, subscriber: subscriber ?? "",
          sealedState: try seal(hash.hex, hash: grant.userCodeHash), endsAt: endsAt),
      ]
      if try await registry.create(steps, within: DeviceGrant.bounds, at: now) {
        return (deviceCode, userCode)
      }
    }
    return nil
  }

  /// Returns the sign-in with this user code. Returns nil if the code is unknown or has expired, or
  /// if the user has already decided.
  func waitingDevice(userCode: String) async throws(ServerError) -> WaitingDevice? {
    guard
      let step = try await registry.signInStep(.userCode, hash: UserCode.hash(userCode)),
      let hash = contents(of: step).flatMap([UInt8].init(hexText:)),
      let device = try await device(hash: hash), device.grant.decision == .none
    else { return nil }
    return device
  }

  /// Returns the sign-in with this device code, even if the user has already decided. Returns nil
  /// if the code is unknown or has expired.
  func device(code: String) async throws(ServerError) -> WaitingDevice? {
    guard code.utf8.count == 64 else { return nil }
    return try await device(hash: Digest.sha256(Array(code.utf8)))
  }

  private func device(hash: [UInt8]) async throws(ServerError) -> WaitingDevice? {
    guard let step = try await registry.signInStep(.device, hash: hash),
      ambient.now() <= step.endsAt, let grant = contents(of: step).flatMap(DeviceGrant.init(text:))
    else { return nil }
    return WaitingDevice(step: step, grant: grant)
  }

  /// Stores the user's decision, and makes the user code invalid.
  ///
  /// - Returns: false if the sign-in was decided earlier, or does not exist any more.
  func decide(
    _ decision: DeviceGrant.Decision, on device: WaitingDevice
  ) async throws(ServerError) -> Bool {
    var grant = device.grant
    grant.decision = decision
    guard
      try await registry.replace(
        device.step, by: try seal(grant.text, hash: device.step.hash))
    else { return false }
    if let step = try await registry.signInStep(.userCode, hash: grant.userCodeHash) {
      _ = try await registry.delete(step)
    }
    return true
  }

  /// Opens the session of a device whose sign-in was approved. Each sign-in opens only one session.
  ///
  /// - Returns: nil if the sign-in is not approved, was begun with another API token, or if another
  ///   request has opened its session. Also nil if the account was disabled or deleted, or got a
  ///   new password after the approval.
  func redeem(
    _ device: WaitingDevice, for apiToken: APIToken
  ) async throws(ServerError) -> DeviceSignIn.Token? {
    guard case .approved(let accountID, let time) = device.grant.decision,
      device.grant.apiTokenHash == apiToken.hash, try await registry.delete(device.step),
      let account = try await registry.account(id: accountID), !account.isDisabled
    else { return nil }
    // NB: a new password ends the account's sessions, so it also cancels earlier approvals.
    if let password = try await registry.password(ofAccount: accountID),
      password.changedAt > time
    {
      return nil
    }
    let store = apiToken.store
    let token = try await openSession(of: account, with: store)
    audit.note("the account '\(account.email)' signed in a device in \(store.inLog)")
    let isAnywhere = store.container == Self.anyContainer
    return DeviceSignIn.Token(
      webAuthToken: token, containerID: isAnywhere ? nil : store.container,
      environment: isAnywhere ? nil : store.environment)
  }

  /// Ends the session of a web auth token, even if the token has expired. Does nothing if the
  /// server did not sign the token, or if the session has ended.
  func endSession(ofWebAuthToken text: String) async throws(ServerError) {
    guard let token = try await token(text),
      let session = try await registry.session(id: token.sessionID)
    else { return }
    guard try await endSession(id: session.id) else { return }
    memory.forget()
    if let account = try await registry.account(id: session.accountID) {
      audit.note("the account '\(account.email)' signed out a device in \(session.store.inLog)")
    }
  }
}
