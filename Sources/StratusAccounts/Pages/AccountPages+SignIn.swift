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

  /// The name of the app that the user sees.
  var name: String { origin ?? callbackURL ?? "" }
}

extension AccountPages {
  /// Returns the app of a sign-in request, if the request is still allowed.
  ///
  /// - Returns: nil if the request has expired, or if its token or origin is no longer allowed.
  func app(_ text: String) async throws(ServerError) -> AskingApp? {
    guard
      let request = SignInRequest(text: text, sealedBy: seal, now: accounts.ambient.now()),
      let hash = [UInt8](hexText: request.apiTokenHash),
      let token = try await accounts.registry.apiToken(hash: hash),
      token.store.covers(request.store)
    else { return nil }
    switch token.callback {
    case .redirect(let url):
      return AskingApp(text: text, store: request.store, origin: nil, callbackURL: url)
    case .postMessage:
      guard let origin = request.origin, origin != "null",
        token.allowedOrigins.map({ $0.contains(origin.lowercased()) }) ?? true
      else { return nil }
      return AskingApp(text: text, store: request.store, origin: origin, callbackURL: nil)
    }
  }

  func showSignIn(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let text = visit.request.query["request"] else {
      if visit.signedIn != nil { return PageLayout.redirect(to: "/account") }
      return signInForm(visit, nil)
    }
    guard let app = try await app(text) else { return Self.expiredRequest }
    guard let signedIn = visit.signedIn else { return signInForm(visit, app) }
    return consent(visit, app, signedIn.account)
  }

  private func signInForm(
    _ visit: Visit, _ app: AskingApp?, email: String = "", alarm: String? = nil, status: Int = 200
  ) -> PageAnswer {
    let reason = app.map { app -> HTML in
      "<p>to use <strong>\(app.store.container)</strong> in <strong>\(app.name)</strong></p>"
    }
    let warning = alarm.map { alarm -> HTML in
      "<p class=\"alarm\" role=\"alert\">\(alarm)</p>"
    }
    let content: HTML = """
      <h1>Sign in</h1>\(reason)\(warning)
      <form method="post" action="/auth/sign-in">
      \(visit.hidden(seal, request: app?.text))
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" autocomplete="username" required \
      maxlength="320" value="\(email)">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" \
      required maxlength="1024">
      <label class="check"><input name="keep" type="checkbox" value="yes">Keep me signed in</label>
      <button>Sign in</button>
      </form>
      """
    return PageLayout.answer("Sign in", content, status: status, hasOpener: app != nil)
  }

  func signIn(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let form = visit.request.form
    var asking: AskingApp?
    if let text = form["request"] {
      guard let app = try await app(text) else { return Self.expiredRequest }
      asking = app
    }
    let email = String((form["email"] ?? "").prefix(320)).lowercased()
    let known = try await accounts.registry.account(email: email)
    let attempt = attempt(visit, email: email, account: known)
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      var answer = signInForm(
        visit, asking, email: email, alarm: Self.waitSentence(seconds), status: 429)
      answer.fields.append(("Retry-After", String(seconds)))
      return answer
    }
    let account = try await accounts.account(email: email, password: form["password"] ?? "")
    guard let account else {
      return signInForm(
        visit, asking, email: email,
        alarm: "The address and the password do not belong together.", status: 403)
    }
    throttle.succeed(attempt)
    let isKept = form["keep"] == "yes"
    if let signedIn = visit.signedIn {
      _ = try await accounts.registry.deleteBrowserSession(hash: signedIn.session.hash)
    }
    try await begin(&visit, account, isKept: isKept)
    return PageLayout.redirect(
      to: asking.map { "/auth/sign-in?request=" + $0.text } ?? "/account")
  }

  /// Returns the attempt in the form that the throttle counts.
  func attempt(_ visit: Visit, email: String, account: Account?) -> SignInThrottle.Attempt {
    var browser: String?
    if let known = visit.knownBrowser, let account, known.hasPrefix(account.id + " ") {
      browser = known
    }
    return SignInThrottle.Attempt(
      email: email, browser: browser,
      address: visit.request.clientAddress.map { NetworkAddress($0)?.subscriber ?? $0 })
  }

  static func waitSentence(_ seconds: Int) -> String {
    let time = seconds < 120 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
    return "There were too many attempts. Try again in \(time)."
  }

  /// Opens a browser session and sets its cookies.
  func begin(_ visit: inout Visit, _ account: Account, isKept: Bool) async throws(ServerError) {
    let text = try await accounts.openBrowserSession(
      of: account, isKept: isKept, browser: visit.request.userAgent)
    visit.keep(
      session: text, isKept: isKept, account: account, seal: seal, id: accounts.randomness(8).hex)
    // The form cookie is replaced, because others may know a page from before the sign-in.
    visit.set(.form, accounts.randomness(32).hex, seconds: nil)
  }

  func signOut(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    if let signedIn = visit.signedIn {
      _ = try await accounts.registry.deleteBrowserSession(hash: signedIn.session.hash)
    }
    visit.remove(.session)
    visit.remove(.form)
    var answer = PageLayout.redirect(to: "/auth/sign-in")
    answer.fields.append(("Clear-Site-Data", "\"cache\""))
    return answer
  }

  static let expiredRequest = PageLayout.answer(
    "Sign-in expired",
    """
    <h1>This sign-in has expired</h1>
    <p>Go back to the app and sign in again. If that does not help, the app may not use this \
    server: tell its developer.</p>
    """, status: 400, hasOpener: true)
}

extension [UInt8] {
  /// Decodes an even number of hex digits, or returns nil for any other text.
  init?(hexText text: String) {
    let digits = text.utf8.compactMap { byte in
      UnicodeScalar(byte).properties.isASCIIHexDigit
        ? Character(UnicodeScalar(byte)).hexDigitValue : nil
    }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
