import Foundation
import StratusDomain
import StratusWire

/// An app whose request for a sign-in has passed all checks.
struct AskingApp {
  /// The sealed text of the request, which the next form sends again.
  let text: String
  let store: StoreAddress
  /// The origin of the web page that gets the token, or nil if the callback URL gets it.
  let origin: String?
  /// The callback URL that gets the token, or nil if the server's page posts a message to the app's
  /// page.
  let callbackURL: String?

  /// The name of the app, as the user sees it.
  var name: String { origin ?? callbackURL ?? "" }
}

/// The outcome of reading a sign-in request.
enum SignInQuestion {
  case app(AskingApp)
  /// The request has expired, or its token or origin is not allowed. The page tells the user.
  case refused(PageAnswer)
}

extension AccountPages {
  /// Returns the app of a sign-in request, or a page that says why the request is refused.
  func question(_ text: String) async throws(ServerError) -> SignInQuestion {
    guard
      let request = SignInRequest(text: text, sealedBy: seal, now: accounts.ambient.now()),
      let hash = [UInt8](hexText: request.apiTokenHash),
      let token = try await accounts.registry.apiToken(hash: hash),
      token.store.covers(request.store)
    else { return .refused(Self.expiredRequest) }
    let isProduction = request.store.environment == .production
    switch token.callback {
    case .redirect(let url):
      if isProduction, WebOrigin.isClearText(url) { return .refused(Self.clearTextApp) }
      return .app(
        AskingApp(text: text, store: request.store, origin: nil, callbackURL: url))
    case .postMessage:
      // NB: an API token is public. Without a list of origins, any web page could request a sign-in
      // in the name of the app.
      if isProduction, token.allowedOrigins == nil { return .refused(Self.unlistedApp) }
      guard let origin = request.origin.flatMap(WebOrigin.known),
        token.allowedOrigins?.contains(origin) ?? true
      else { return .refused(Self.expiredRequest) }
      if isProduction, WebOrigin.isClearText(origin) { return .refused(Self.clearTextApp) }
      return .app(
        AskingApp(text: text, store: request.store, origin: origin, callbackURL: nil))
    }
  }

  func showSignIn(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let text = visit.request.query["request"] else {
      if visit.signedIn != nil { return PageLayout.redirect(to: "/account") }
      return signInForm(visit, SignInGoal())
    }
    switch try await question(text) {
    case .refused(let page): return page
    case .app(let app):
      guard let signedIn = visit.signedIn else {
        return signInForm(visit, SignInGoal(app: app))
      }
      return consent(visit, app, signedIn.account)
    }
  }

  /// Shows the form for signing in.
  func signInForm(
    _ visit: Visit, _ goal: SignInGoal, email: String = "", alarm: String? = nil,
    status: Int = 200
  ) -> PageAnswer {
    let passkey = passkeySignIn(visit, goal)
    let content: HTML = """
      <h1>Sign in</h1>\(goal.reason)\(Self.warning(alarm))\(passkey?.form)
      <form method="post" action="/auth/sign-in">
      \(visit.hidden(seal))\(goal.fields)
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" autocomplete="username webauthn" \
      required maxlength="320" value="\(email)">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" \
      required maxlength="1024">
      <label class="check"><input name="keep" type="checkbox" value="yes">Keep me signed in</label>
      <div class="row"><button>Sign in</button>\(passkey?.button)</div>
      </form>\(providerLinks(goal))\(mailLinks(request: goal.app?.text))
      """
    return PageLayout.answer(
      "Sign in", content, status: status, hasOpener: goal.app != nil,
      keepsFragment: goal.keepsFragment, usesPasskeys: passkey != nil)
  }

  func signIn(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let form = visit.request.form
    let goal: SignInGoal
    switch try await self.goal(in: form) {
    case .refused(let page): return page
    case .goal(let found): goal = found
    }
    let email = String((form["email"] ?? "").prefix(320)).lowercased()
    let known = try await accounts.registry.account(email: email)
    let attempt = try await attempt(visit, email: email, account: known)
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      noteRefusal("a sign-in has to wait", known, visit)
      var answer = signInForm(
        visit, goal, email: email, alarm: Self.waitSentence(seconds), status: 429)
      answer.fields.append(("Retry-After", String(seconds)))
      return answer
    }
    let proven = try await prove(
      email, form["password"] ?? "", by: attempt, isKnown: attempt.browser != nil)
    let isKept = form["keep"] == "yes"
    if let proven, try await accounts.registry.factor(ofAccount: proven.account.id) != nil {
      throttle.succeed(attempt)
      try await note("gave its password, and is asked for its second factor", proven.account, visit)
      let pending = PendingSignIn(of: proven, isKept: isKept, at: accounts.ambient.now())
      return secondStepForm(visit, goal, pending.text(sealedBy: seal))
    }
    guard let proven, try await begin(&visit, proven, isKept: isKept) else {
      noteRefusal("a sign-in failed", known, visit)
      return signInForm(
        visit, goal, email: email, alarm: "The address and the password do not belong together.",
        status: 403)
    }
    throttle.succeed(attempt)
    try await endEarlierSession(of: visit)
    try await note("signed in", proven.account, visit)
    return PageLayout.redirect(to: goal.path)
  }

  /// Returns the facts that the throttle needs about an attempt.
  func attempt(
    _ visit: Visit, email: String, account: Account?
  ) async throws(ServerError) -> SignInThrottle.Attempt {
    var browser: String?
    if let known = visit.knownBrowser, let account, known.accountID == account.id,
      let password = try await accounts.registry.password(ofAccount: account.id),
      known.isValid(passwordChangedAt: password.changedAt, now: accounts.ambient.now())
    {
      browser = known.id
    }
    return SignInThrottle.Attempt(
      email: email, browser: browser, address: visit.request.subscriber,
      site: visit.request.clientAddress.flatMap { NetworkAddress($0)?.site })
  }

  /// Checks a password. If the server is too busy to check it, the attempt is not counted.
  func prove(
    _ email: String, _ password: String, by attempt: SignInThrottle.Attempt, isKnown: Bool
  ) async throws(ServerError) -> Accounts.ProvenAccount? {
    do throws(ServerError) {
      return try await accounts.account(email: email, password: password, isKnown: isKnown)
    } catch {
      throttle.withdraw(attempt)
      throw error
    }
  }

  /// Writes an action of an account into the server's log and into the audit log.
  ///
  /// - Throws: an error of the registry.
  func note(_ action: String, _ account: Account, _ visit: Visit) async throws(ServerError) {
    try await accounts.recordByUser(action, account)
    accounts.audit.note("the account '\(account.email)' \(action), from \(visit.subscriber)")
  }

  /// Writes a refusal into the log, with the address of the account. A typed address that belongs
  /// to no account is not written, because the user may have typed a password in its place.
  func noteRefusal(_ event: String, _ account: Account?, _ visit: Visit) {
    let name = account.map { "for the account '\($0.email)'" } ?? "for an unknown address"
    accounts.audit.noteRefusal(
      "\(event), \(name), from \(visit.subscriber)", at: accounts.ambient.now())
  }

  static func waitSentence(_ seconds: Int) -> String {
    let time = seconds < 120 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
    return "There were too many attempts. Try again in \(time)."
  }

  /// Opens a browser session with new cookies, after a sign-in with a password.
  ///
  /// - Returns: false if the account's password was changed in the meantime.
  func begin(
    _ visit: inout Visit, _ proven: Accounts.ProvenAccount, isKept: Bool
  ) async throws(ServerError) -> Bool {
    try await begin(
      &visit, proven.account, by: .password(hash: proven.passwordHash), isKept: isKept)
  }

  /// Opens a browser session with new cookies.
  ///
  /// - Parameter proof: the credential by which the user has signed in.
  /// - Returns: false if the account does not have the credential any more.
  func begin(
    _ visit: inout Visit, _ account: Account, by proof: SignInProof, isKept: Bool
  ) async throws(ServerError) -> Bool {
    let text = try await accounts.openBrowserSession(
      of: account, by: proof, isKept: isKept, browser: visit.request.userAgent)
    guard let text else { return false }
    let browser = KnownBrowser(
      accountID: account.id, id: accounts.randomness(8).hex,
      issuedAt: accounts.ambient.now())
    visit.keep(session: text, isKept: isKept, as: browser, seal: seal)
    // The form cookie is replaced, because other people may know the cookie that the browser had
    // before the sign-in.
    visit.set(.form, accounts.randomness(32).hex, seconds: nil)
    return true
  }

  func signOut(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    if let signedIn = visit.signedIn {
      try await accounts.endBrowserSession(signedIn.session)
      try await note("signed out", signedIn.account, visit)
    }
    visit.remove(.session)
    visit.remove(.form)
    // A window that an app opened shows the sign-in page for this app again, so that another user
    // can sign in.
    var target = "/auth/sign-in"
    if let text = visit.request.form["request"], case .app(let app) = try await question(text) {
      target += "?request=" + app.text
    }
    var answer = PageLayout.redirect(to: target)
    answer.fields.append(("Clear-Site-Data", "\"cache\""))
    return answer
  }

  private static let unlistedApp = PageLayout.answer(
    "Sign-in not possible",
    """
    <h1>This app cannot sign users in</h1>
    <p>Its API token names no web page. The app's developer can make one with <code>stratus \
    api-token create --origin</code> or <code>--callback-url</code>.</p>
    """, status: 403, hasOpener: true)

  private static let clearTextApp = PageLayout.answer(
    "Sign-in not possible",
    """
    <h1>This app cannot sign users in</h1>
    <p>Its web page does not use HTTPS, so others could read the sign-in. The app's developer can \
    set up HTTPS and make a new API token.</p>
    """, status: 403, hasOpener: true)

  private static let expiredRequest = PageLayout.answer(
    "Sign-in expired",
    """
    <h1>This sign-in has expired</h1>
    <p>Go back to the app and sign in again. If that does not help, the app may not use this \
    server: tell its developer.</p>
    """, status: 400, hasOpener: true)
}
