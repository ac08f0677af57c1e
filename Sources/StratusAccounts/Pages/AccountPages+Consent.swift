import StratusDomain
import StratusWire

extension AccountPages {
  /// Shows a page that asks a signed-in user whether an app may act for the account. The server
  /// issues the token only after the user agrees.
  func consent(_ visit: Visit, _ app: AskingApp, _ account: Account) -> PageAnswer {
    let idleTime = visit.signedIn?.session.isKept == true ? "two weeks" : "half an hour"
    let content: HTML = """
      <h1>Continue?</h1>
      <p><strong>\(app.name)</strong> asks to use the data of <strong>\(account.email)</strong> \
      in <strong>\(app.store.container)</strong> (\(app.store.environment.rawValue)).</p>
      <p class="small">The app stays signed in until it was not used for \(idleTime), for 90 days \
      at most. You can end this earlier on your account page.</p>
      <div class="row">
      <form method="post" action="/auth/continue">\(visit.hidden(seal, request: app.text))
      <button>Continue</button></form>
      <form method="post" action="/auth/cancel">\(visit.hidden(seal, request: app.text))
      <button class="quiet">Cancel</button></form>
      </div>
      <form method="post" action="/auth/sign-out">\(visit.hidden(seal, request: app.text))
      <p class="small">Not you? <button class="quiet">Sign out</button></p></form>
      """
    return PageLayout.answer(
      "Continue to \(app.store.container)", content, callback: app.callbackURL, hasOpener: true)
  }

  func continueToApp(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let app: AskingApp
    switch try await question(visit.request.form["request"] ?? "") {
    case .refused(let page): return page
    case .app(let asking): app = asking
    }
    guard let signedIn = visit.signedIn else {
      return PageLayout.redirect(to: "/auth/sign-in?request=" + app.text)
    }
    let token = try await accounts.openSession(
      of: signedIn.account, with: app.store,
      lifetimeSeconds: signedIn.session.isKept
        ? Accounts.webTokenLifetimeSeconds : Accounts.shortTokenLifetimeSeconds)
    try await note("opened a session of \(app.name) in \(app.store.inLog)", signedIn.account, visit)
    if let url = app.callbackURL {
      let value = Self.encode(token)
      let mark = url.contains("?") ? "&" : "?"
      return PageLayout.redirect(to: "\(url)\(mark)ckWebAuthToken=\(value)&ckSession=\(value)")
    }
    return Self.message(app, token: token)
  }

  func cancel(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard case .app(let app) = try await question(visit.request.form["request"] ?? ""),
      app.origin != nil
    else {
      return PageLayout.answer(
        "Cancelled", "<h1>Cancelled</h1><p>You can close this window.</p>", hasOpener: true)
    }
    return Self.message(app, token: nil)
  }

  /// Creates the page that sends the result to the app's page, which has opened this window.
  ///
  /// - Parameter token: the app's token, or nil if the user has refused.
  private static func message(_ app: AskingApp, token: String?) -> PageAnswer {
    let error = token == nil ? "accessError" : ""
    let content: HTML = """
      <h1>\(token == nil ? "Cancelled" : "Signed in")</h1>
      <p id="result" data-token="\(token ?? "")" data-error="\(error)" \
      data-origin="\(app.origin ?? "")">You can close this window.</p>
      """
    return PageLayout.answer("Signed in", content, hasOpener: true, script: true)
  }

  /// Percent-encodes everything except letters and digits.
  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + [byte].hex.uppercased()
    }.joined()
  }
}
