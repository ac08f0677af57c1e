import StratusDomain
import StratusWire

/// The second step of a sign-in: the code of the user's app, or a recovery code.
extension AccountPages {
  /// The result of a check of the second factor in a form.
  enum FactorResult: Sendable {
    case passed
    case refused(alarm: String, status: Int)
  }

  /// The field for the second factor, which several forms have.
  static let factorField: HTML = """
    <label for="factor">Code of your app, or a recovery code</label>
    <input id="factor" name="factor" type="text" autocomplete="one-time-code" \
    autocapitalize="off" spellcheck="false" required maxlength="64">
    """

  /// Checks the second factor in a form, within the limits on wrong codes.
  func checkFactor(
    _ visit: Visit, of account: Account
  ) async throws(ServerError) -> FactorResult {
    var attempt = try await attempt(visit, email: account.email, account: account)
    // NB: wrong codes have a counter of their own. Otherwise a right password would clear the count
    // of the wrong codes.
    attempt.email = "factor " + account.email
    attempt.browser = attempt.browser.map { "factor " + $0 }
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      noteRefusal("a check of the second factor has to wait", account, visit)
      return .refused(alarm: Self.waitSentence(seconds), status: 429)
    }
    let check: Accounts.FactorCheck
    do throws(ServerError) {
      check = try await accounts.useFactor(visit.request.form["factor"] ?? "", of: account)
    } catch {
      throttle.withdraw(attempt)
      throw error
    }
    switch check {
    case .refused:
      noteRefusal("the second factor was wrong", account, visit)
      return .refused(
        alarm: "This code is wrong, or it was used already. Wait for the next code.", status: 403)
    case .code: break
    case .recoveryCode:
      try await note("used a recovery code", account, visit)
      await accounts.notify(account, .recoveryCodeUsed(accounts.serverName))
    }
    throttle.succeed(attempt)
    return .passed
  }

  func secondStepForm(
    _ visit: Visit, _ goal: SignInGoal, _ pending: String, alarm: String? = nil, status: Int = 200
  ) -> PageAnswer {
    let content: HTML = """
      <h1>Second step</h1>\(Self.warning(alarm))
      <form method="post" action="/auth/second-step">
      \(visit.hidden(seal))\(goal.fields)
      <input type="hidden" name="pending" value="\(pending)">
      \(Self.factorField)
      <p class="small">Without your phone, type one of your recovery codes.</p>
      <button>Sign in</button></form>
      """
    return PageLayout.answer(
      "Second step", content, status: status, hasOpener: goal.app != nil,
      keepsFragment: goal.keepsFragment)
  }

  func takeSecondStep(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let form = visit.request.form
    let goal: SignInGoal
    switch try await self.goal(in: form) {
    case .refused(let page): return page
    case .goal(let found): goal = found
    }
    let text = form["pending"] ?? ""
    guard
      let pending = PendingSignIn(text: text, sealedBy: seal, now: accounts.ambient.now()),
      let account = try await accounts.registry.account(id: pending.accountID),
      !account.isDisabled, let proof = try await proof(of: pending, account)
    else { return PageLayout.redirect(to: goal.formPath) }
    switch try await checkFactor(visit, of: account) {
    case .passed: break
    case .refused(let alarm, let status):
      return secondStepForm(visit, goal, text, alarm: alarm, status: status)
    }
    guard try await begin(&visit, account, by: proof, isKept: pending.isKept) else {
      return PageLayout.redirect(to: goal.formPath)
    }
    try await endEarlierSession(of: visit)
    try await note("signed in with a second factor", account, visit)
    return PageLayout.redirect(to: goal.reason == nil ? visit.nextPath : goal.path)
  }

  /// Returns the first factor of a pending sign-in, or nil if the account has another password by
  /// now. A sign-in at a provider is checked later, in ``begin(_:_:by:isKept:)``.
  private func proof(
    of pending: PendingSignIn, _ account: Account
  ) async throws(ServerError) -> SignInProof? {
    switch pending.proof {
    case .password(let digest):
      guard let password = try await accounts.registry.password(ofAccount: account.id),
        PendingSignIn.digest(password.hash) == digest
      else { return nil }
      return .password(hash: password.hash)
    case .provider(let issuer, let subject):
      return .provider(issuer: issuer, subject: subject)
    }
  }

  /// Ends the browser session that a new one replaces.
  func endEarlierSession(of visit: Visit) async throws(ServerError) {
    if let signedIn = visit.signedIn {
      try await accounts.endBrowserSession(signedIn.session)
    }
  }
}
