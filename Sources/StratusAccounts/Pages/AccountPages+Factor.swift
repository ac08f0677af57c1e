import StratusDomain
import StratusWire

/// The page on which a user sets up or removes the second factor, or makes new recovery codes.
extension AccountPages {
  private typealias SignedIn = (session: BrowserSession, account: Account)

  func showFactor(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await factorPage(visit, signedIn)
  }

  private func factorPage(
    _ visit: Visit, _ signedIn: SignedIn, setup: FactorSetup? = nil, alarm: String? = nil,
    status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let account = signedIn.account
    if try await accounts.registry.factor(ofAccount: account.id) != nil {
      let count = try await accounts.registry.recoveryCodeCount(ofAccount: account.id)
      return managePage(visit, recoveryCodesLeft: count, alarm: alarm, status: status)
    }
    guard try await accounts.registry.password(ofAccount: account.id) != nil else {
      return PageLayout.answer(
        "Second factor",
        """
        <h1>Second factor</h1><p>Your account has no password, so it needs no second factor.</p>
        \(Self.backLink)
        """)
    }
    let setup =
      setup
      ?? FactorSetup(
        accountID: account.id, secret: accounts.randomness(TimeCode.secretCount),
        issuedAt: accounts.ambient.now())
    return setupPage(visit, setup, account, alarm: alarm, status: status)
  }

  private func setupPage(
    _ visit: Visit, _ setup: FactorSetup, _ account: Account, alarm: String?, status: Int
  ) -> PageAnswer {
    let host = visit.request.serverURL.drop { $0 != "/" }.dropFirst(2).prefix { $0 != ":" }
    let url = TimeCode.url(secret: setup.secret, email: account.email, issuer: String(host))
    let key = Base32.grouped(Base32.encode(setup.secret))
    let content: HTML = """
      <h1>Set up a second factor</h1>\(Self.warning(alarm))
      <p>After your password, a sign-in then asks for a code from an authenticator app on your \
      phone.</p>
      <p>Add an account in the app, and type this key: <code>\(key)</code></p>
      <p class="small">If the app is on this device, <a href="\(url)">open the app</a>.</p>
      <form method="post" action="/account/factor">\(visit.hidden(seal))
      <input type="hidden" name="setup" value="\(setup.text(sealedBy: seal))">
      \(Self.passwordField)
      <label for="code">Code that the app shows</label>
      <input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" \
      required maxlength="16">
      <button>Set up</button></form>
      \(Self.backLink)
      """
    return PageLayout.answer("Set up a second factor", content, status: status)
  }

  private func managePage(
    _ visit: Visit, recoveryCodesLeft count: Int, alarm: String?, status: Int
  ) -> PageAnswer {
    let content: HTML = """
      <h1>Second factor</h1>\(Self.warning(alarm))
      <p>A sign-in asks for a code of your authenticator app. You have \(String(count)) unused \
      recovery codes.</p>
      <form method="post" action="/account/factor/change">\(visit.hidden(seal))
      \(Self.passwordField)
      \(Self.factorField)
      <div class="row">
      <button name="action" value="codes">Make new recovery codes</button>
      <button class="quiet" name="action" value="remove">Remove the second factor</button>
      </div></form>
      \(Self.backLink)
      """
    return PageLayout.answer("Second factor", content, status: status)
  }

  /// Shows recovery codes. They are shown only once, because the server keeps only their hashes.
  private func codesPage(_ codes: Accounts.RecoveryCodes) -> PageAnswer {
    let items = codes.texts.map { code -> HTML in
      "<li><code>\(Base32.grouped(code))</code></li>"
    }
    let content: HTML = """
      <h1>Your recovery codes</h1>
      <p>Print these codes, or write them down. Each code replaces the code of your app once, for \
      example if you have lost your phone. The server shows them only now.</p>
      <ul>\(HTML(items))</ul>
      \(Self.backLink)
      """
    return PageLayout.answer("Your recovery codes", content)
  }

  func setUpFactor(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let account = signedIn.account
    let now = accounts.ambient.now()
    if try await accounts.registry.factor(ofAccount: account.id) != nil {
      return try await factorPage(
        visit, signedIn, alarm: "Your account has a second factor already.", status: 409)
    }
    guard
      let setup = FactorSetup(
        text: visit.request.form["setup"] ?? "", of: account.id, sealedBy: seal, now: now)
    else {
      return try await factorPage(
        visit, signedIn, alarm: "The key has expired. Add the new key to the app.", status: 400)
    }
    let proven: Accounts.ProvenAccount
    switch try await reprove(visit, signedIn) {
    case .refused(let alarm, let status):
      return try await factorPage(visit, signedIn, setup: setup, alarm: alarm, status: status)
    case .proven(let account): proven = account
    }
    let typed = (visit.request.form["code"] ?? "").filter(\.isNumber)
    guard let step = TimeCode.step(of: typed, secret: setup.secret, now: now) else {
      return try await factorPage(
        visit, signedIn, setup: setup,
        alarm: "The code is wrong. Check the key in the app, and the clock of your device.",
        status: 403)
    }
    guard
      let codes = try await accounts.setFactor(
        secret: setup.secret, step: step, of: proven, keeping: signedIn.session)
    else { return PageLayout.redirect(to: "/auth/sign-in") }
    try await note("set up a second factor", account, visit)
    await accounts.notify(account, .factorAdded(accounts.serverName))
    return codesPage(codes)
  }

  /// Makes new recovery codes, or removes the second factor.
  func changeFactor(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let account = signedIn.account
    if case .refused(let alarm, let status) = try await reprove(visit, signedIn) {
      return try await factorPage(visit, signedIn, alarm: alarm, status: status)
    }
    if case .refused(let alarm, let status) = try await checkFactor(visit, of: account) {
      return try await factorPage(visit, signedIn, alarm: alarm, status: status)
    }
    switch visit.request.form["action"] {
    case "codes":
      let codes = accounts.makeRecoveryCodes()
      guard
        try await accounts.registry.setRecoveryCodes(codes.hashes, ofAccount: account.id)
      else { return PageLayout.redirect(to: "/account/factor") }
      try await note("made new recovery codes", account, visit)
      return codesPage(codes)
    case "remove":
      _ = try await accounts.registry.deleteFactor(ofAccount: account.id)
      try await note("removed its second factor", account, visit)
      await accounts.notify(account, .factorRemoved(accounts.serverName))
      return PageLayout.redirect(to: "/account")
    default: return PageLayout.redirect(to: "/account/factor")
    }
  }

  enum Reproof {
    case proven(Accounts.ProvenAccount)
    case refused(alarm: String, status: Int)
  }

  /// Checks the password of a signed-in user again, for example before a change of the ways to sign
  /// in (OWASP ASVS 7.5.1).
  func reprove(
    _ visit: Visit, _ signedIn: (session: BrowserSession, account: Account)
  ) async throws(ServerError) -> Reproof {
    let account = signedIn.account
    var attempt = try await attempt(visit, email: account.email, account: account)
    attempt.browser = attempt.browser ?? "session " + signedIn.session.id
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      noteRefusal("a confirmation by password has to wait", account, visit)
      return .refused(alarm: Self.waitSentence(seconds), status: 429)
    }
    let proven = try await prove(
      account.email, visit.request.form["current"] ?? "", by: attempt, isKnown: true)
    guard let proven else {
      noteRefusal("a confirmation by password failed", account, visit)
      return .refused(alarm: "The password is wrong.", status: 403)
    }
    throttle.succeed(attempt)
    return .proven(proven)
  }

  static let passwordField: HTML = """
    <label for="current">Your password</label>
    <input id="current" name="current" type="password" autocomplete="current-password" required \
    maxlength="1024">
    """

  static let backLink: HTML = "<p><a href=\"/account\">Your account</a></p>"
}
