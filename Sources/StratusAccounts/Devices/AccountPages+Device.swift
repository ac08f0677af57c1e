import StratusDomain
import StratusWire

/// The path of the page on which a user signs a device in.
enum DevicePage {
  static let path = "/auth/device"

  static func path(code: String) -> String { path + "?user_code=" + UserCode.shown(code) }
}

/// The page on which a user signs in a device or a program without a browser. The user types the
/// code that the device shows, or compares it with the page's code. Then the user approves the
/// sign-in or refuses it.
extension AccountPages {
  /// Shows the form for the code. If the URL contains a code, shows the device that has this code.
  func showDevice(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    let typed = visit.request.query["user_code"]
    guard let signedIn = visit.signedIn else {
      return signInForm(
        visit, SignInGoal(device: typed.flatMap(UserCode.read) ?? ""))
    }
    guard let typed else { return codeForm(visit) }
    switch try await find(typed, signedIn.account, visit) {
    case .refused(let page): return page
    case .found(let code, let device, let store):
      return devicePage(visit, code, device, store, signedIn.account)
    }
  }

  private enum Finding {
    case found(code: String, device: Accounts.WaitingDevice, store: StoreAddress)
    case refused(PageAnswer)
  }

  /// Finds the device of a code. Wrong codes count as failed attempts of the account, so that
  /// an attacker cannot try many codes (RFC 8628 §5.1).
  private func find(
    _ typed: String, _ account: Account, _ visit: Visit
  ) async throws(ServerError) -> Finding {
    let attempt = SignInThrottle.Attempt(
      email: "device " + account.email, browser: nil, address: visit.request.subscriber,
      site: visit.request.clientAddress.flatMap { NetworkAddress($0)?.site })
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      noteRefusal("the code of a device has to wait", account, visit)
      return .refused(codeForm(visit, alarm: Self.waitSentence(seconds), status: 429))
    }
    if let code = UserCode.read(typed),
      let device = try await accounts.waitingDevice(userCode: code),
      let token = try await accounts.registry.apiToken(hash: device.grant.apiTokenHash)
    {
      // NB: a right code does not clear the failures. Otherwise an attacker could clear them with a
      // device of their own.
      throttle.withdraw(attempt)
      return .found(code: code, device: device, store: token.store)
    }
    noteRefusal("the code of a device was wrong", account, visit)
    return .refused(
      codeForm(
        visit, alarm: "This code is wrong, or it has expired. Begin again on the device.",
        status: 404))
  }

  private func codeForm(_ visit: Visit, alarm: String? = nil, status: Int = 200) -> PageAnswer {
    // NB: the form changes nothing, so it is sent by GET and needs no form token.
    let content: HTML = """
      <h1>Sign in a device</h1>\(Self.warning(alarm))
      <form method="get" action="\(DevicePage.path)">
      <label for="code">Code that the device shows</label>
      <input id="code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" \
      spellcheck="false" required maxlength="16" aria-describedby="rule">
      <p id="rule" class="small">Type only a code of a device or a program that you have started \
      yourself. Nobody else may ask you for it.</p>
      <button>Continue</button></form>
      """
    return PageLayout.answer("Sign in a device", content, status: status)
  }

  private func devicePage(
    _ visit: Visit, _ code: String, _ device: Accounts.WaitingDevice, _ store: StoreAddress,
    _ account: Account
  ) -> PageAnswer {
    let grant = device.grant
    let machine = grant.machine.isEmpty ? "A device without a name" : grant.machine
    let address = grant.clientAddress.isEmpty ? "an unknown address" : grant.clientAddress
    let place: HTML =
      store.container == Accounts.anyContainer
      ? "<strong>all containers</strong>"
      : "<strong>\(store.container)</strong> (\(store.environment.rawValue))"
    let hidden: HTML = """
      \(visit.hidden(seal))<input type="hidden" name="user_code" value="\(code)">
      """
    let content: HTML = """
      <h1>Sign in this device?</h1>
      <p><strong>\(machine)</strong> at the address \(address) asks to use the data of \
      <strong>\(account.email)</strong> in \(place).</p>
      <p>Compare the code. The device must show exactly: \
      <strong>\(UserCode.shown(code))</strong></p>
      <p class="small">Refuse if you have not just started a sign-in on this device, or if \
      somebody has sent you here.</p>
      <div class="row">
      <form method="post" action="\(DevicePage.path)/approve">\(hidden)
      <button>Sign in</button></form>
      <form method="post" action="\(DevicePage.path)/refuse">\(hidden)
      <button class="quiet">Refuse</button></form>
      </div>
      """
    return PageLayout.answer("Sign in this device?", content)
  }

  /// Stores the decision of the user.
  func decideDevice(_ visit: inout Visit, approves: Bool) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: DevicePage.path) }
    let account = signedIn.account
    let device: Accounts.WaitingDevice
    let store: StoreAddress
    switch try await find(visit.request.form["user_code"] ?? "", account, visit) {
    case .refused(let page): return page
    case .found(_, let waiting, let place): (device, store) = (waiting, place)
    }
    let decision: DeviceGrant.Decision =
      approves ? .approved(accountID: account.id, at: accounts.ambient.now()) : .refused
    guard try await accounts.decide(decision, on: device) else {
      return codeForm(visit, alarm: "This code was used already.", status: 409)
    }
    try await note(
      "\(approves ? "approved" : "refused") a device in \(store.inLog)", account, visit)
    let outcome: HTML =
      approves
      ? "<h1>Signed in</h1><p>The device continues in a few seconds. You can close this page.</p>"
      : "<h1>Refused</h1><p>The device is not signed in.</p>"
    return PageLayout.answer(
      approves ? "Signed in" : "Refused",
      "\(outcome)<p><a href=\"/account\">Account</a></p>")
  }
}
