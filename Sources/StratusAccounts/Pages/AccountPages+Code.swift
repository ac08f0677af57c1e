import StratusDomain
import StratusWire

/// The page to which the link in a mail leads if the mail is for a sign-up, an invitation or a
/// forgotten password. The page sets the password of a new or an existing account.
extension AccountPages {
  /// Shows the form for a code. The code stays valid, because mail programs open links
  /// automatically.
  func showCode(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    let text = visit.request.query["code"] ?? ""
    guard let code = try await passwordCode(text, visit) else { return Self.expiredCode }
    return codeForm(visit, code, text, needsFactor: try await needsFactor(code))
  }

  /// Returns the stored code of a text, if the code permits its user to set a password.
  private func passwordCode(
    _ text: String, _ visit: Visit
  ) async throws(ServerError) -> MailCode? {
    guard let code = try await accounts.code(text, cookie: visit.formCookie) else { return nil }
    switch code.purpose {
    case .signUp, .invitation, .reset: return code
    case .address: return nil
    }
  }

  /// Whether the account of a code has a second factor. A mail alone must not open such an account
  /// (OWASP ASVS 6.4.3).
  private func needsFactor(_ code: MailCode) async throws(ServerError) -> Bool {
    guard let account = try await accounts.registry.account(email: code.email) else {
      return false
    }
    return try await accounts.registry.factor(ofAccount: account.id) != nil
  }

  private func codeForm(
    _ visit: Visit, _ code: MailCode, _ text: String, needsFactor: Bool, alarm: String? = nil,
    status: Int = 200
  ) -> PageAnswer {
    let title = code.purpose == .reset ? MailPage.reset.title : MailPage.signUp.title
    let content: HTML = """
      <h1>\(title)</h1><p>for <strong>\(code.email)</strong></p>\(Self.warning(alarm))
      <form method="post" action="/auth/code">\(visit.hidden(seal))
      <input type="hidden" name="code" value="\(text)">
      <input type="hidden" name="username" autocomplete="username" value="\(code.email)">
      <label for="password">New password</label>
      <input id="password" name="password" type="password" autocomplete="new-password" required \
      minlength="\(String(PasswordRules.lengthMin))" maxlength="1024" aria-describedby="rule">
      <p id="rule" class="small">At least \(String(PasswordRules.lengthMin)) characters; nothing \
      that others guess first.</p>
      \(needsFactor ? Self.factorField : nil)
      <button>Continue</button></form>
      """
    return PageLayout.answer(title, content, status: status)
  }

  /// Sets the password, and signs the browser in.
  func useCode(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let text = visit.request.form["code"] ?? ""
    guard let code = try await passwordCode(text, visit) else { return Self.expiredCode }
    let password = visit.request.form["password"] ?? ""
    let known = try await accounts.registry.account(email: code.email)
    let hasFactor = try await needsFactor(code)
    if let fault = PasswordRules.fault(of: password, email: code.email) {
      return codeForm(visit, code, text, needsFactor: hasFactor, alarm: fault, status: 422)
    }
    if let known, hasFactor {
      switch try await checkFactor(visit, of: known) {
      case .passed: break
      case .refused(let alarm, let status):
        return codeForm(visit, code, text, needsFactor: true, alarm: alarm, status: status)
      }
    }
    guard let proven = try await accounts.redeem(code, password: password) else {
      return Self.expiredCode
    }
    let isReset = code.purpose == .reset
    try await note(
      isReset ? "set a new password by a mail" : "was created by a mail and got a password",
      proven.account, visit)
    if isReset {
      await accounts.notify(proven.account, .passwordChanged(accounts.serverName))
    }
    guard try await begin(&visit, proven, isKept: false) else {
      return PageLayout.redirect(to: "/auth/sign-in")
    }
    try await endEarlierSession(of: visit)
    return PageLayout.redirect(to: visit.nextPath)
  }

  static let expiredCode = PageLayout.answer(
    "Link expired",
    """
    <h1>This link has expired</h1>
    <p>A link works once and for a limited time. A link that you requested yourself works only in \
    the browser in which you requested it.</p>
    <p><a href="/auth/sign-in">Sign in</a></p>
    """, status: 400)
}
