import Foundation
import StratusDomain
import StratusWire

extension AccountPages {
  private typealias SignedIn = (session: BrowserSession, account: Account)

  func showAccount(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await accountPage(visit, signedIn)
  }

  private func accountPage(
    _ visit: Visit, _ signedIn: SignedIn, alarm: String? = nil, status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let now = accounts.ambient.now()
    let browsers = try await accounts.registry.browserSessions(ofAccount: signedIn.account.id)
      .filter { $0.isValid(at: now) }
    let apps = try await accounts.registry.sessions(ofAccount: signedIn.account.id)
      .filter { now <= $0.endsAt && now <= $0.lastUsedAt + Accounts.idleMilliseconds }
    let hasPassword =
      try await accounts.registry.password(ofAccount: signedIn.account.id) != nil
    let passkeys = try await accounts.registry.passkeys(ofAccount: signedIn.account.id)
    let hasFactor = try await accounts.registry.factor(ofAccount: signedIn.account.id) != nil
    let browserItems = browsers.map {
      browserItem(visit, $0, isOwn: $0.hash == signedIn.session.hash)
    }
    let appItems = apps.map { appItem(visit, $0) }
    let entries = try await accounts.registry.auditEntries(
      ofAccount: signedIn.account.id, byOthersOnly: true, before: nil,
      limit: Self.entriesShown)
    let addresses = try await addressList(visit, signedIn.account)
    let isTest = try await accounts.registry.testAccounts().contains(signedIn.account.id)
    let testNote: HTML? =
      isTest
      ? """
      <p class="alarm">This is a test account. Members of the team can act in its name, and see \
      all its data.</p>
      """ : nil
    let warning = alarm.map { alarm -> HTML in
      "<p class=\"alarm\" role=\"alert\">\(alarm)</p>"
    }
    let content: HTML = """
      <h1>Your account</h1><p>\(signedIn.account.email)</p>\(testNote)\(warning)
      <form method="post" action="/auth/sign-out">\(visit.hidden(seal))
      <button class="quiet">Sign out</button></form>
      <p><a href="/account/profile">Name and discovery</a></p>
      <h2>Passkeys</h2>
      <p><a href="/account/passkeys">\(Self.passkeyCount(passkeys.count))</a></p>
      \(providers == nil ? nil : Self.otherAccounts)
      \(addresses)
      <h2>Password</h2>
      \(hasPassword ? passwordForm(visit, signedIn.account) : Self.noPassword)
      <h2>Second factor</h2>
      <p><a href="/account/factor">\(hasFactor ? "Change the second factor" : "Set up")</a></p>
      <h2>Browsers</h2>
      <ul>\(HTML(browserItems))</ul>
      <h2>Apps</h2>
      <p><a href="/account/devices">Why does a device not sync?</a></p>
      <ul>\(HTML(appItems))</ul>\(apps.isEmpty ? "<p>None.</p>" : nil)
      <form method="post" action="/account/end-all">\(visit.hidden(seal))
      <button class="quiet">Sign out everywhere else</button></form>
      <h2>Your data</h2>
      <p><a href="/account/data">Download or restrict your data, or delete the account</a></p>
      <h2>Changes by the operator or the team</h2>
      <ul>\(HTML(entries.map(Self.entryItem)))</ul>\(entries.isEmpty ? "<p>None.</p>" : nil)
      """
    return PageLayout.answer("Your account", content, status: status)
  }

  private static func passkeyCount(_ count: Int) -> String {
    switch count {
    case 0: "Set up a passkey"
    case 1: "One passkey"
    default: "\(count) passkeys"
    }
  }

  private static let otherAccounts: HTML = """
    <h2>Other accounts</h2>
    <p><a href="/account/providers">Sign in with an account at another provider</a></p>
    """

  private static let noPassword: HTML = """
    <p>Your account has no password. You sign in with a passkey, or at another provider.</p>
    """

  private func passwordForm(_ visit: Visit, _ account: Account) -> HTML {
    """
    <form method="post" action="/account/password">\(visit.hidden(seal))
    <input type="hidden" name="username" autocomplete="username" \
    value="\(account.email)">
    <label for="current">Current password</label>
    <input id="current" name="current" type="password" autocomplete="current-password" \
    required maxlength="1024">
    <label for="password">New password</label>
    <input id="password" name="password" type="password" autocomplete="new-password" required \
    minlength="\(String(PasswordRules.lengthMin))" maxlength="1024" aria-describedby="rule">
    <p id="rule" class="small">At least \(String(PasswordRules.lengthMin)) characters; nothing \
    that others guess first. All other browsers are signed out.</p>
    <label class="check"><input name="apps" type="checkbox" value="yes" checked>Sign out all \
    apps, too</label>
    <button>Change password</button></form>
    """
  }

  /// The number of entries of the audit log that the page shows.
  private static let entriesShown = 20

  /// Describes one entry of the audit log about a change by the operator or the team. The user does
  /// not see which member of the team made the change.
  private static func entryItem(_ entry: AuditEntry) -> HTML {
    let place = entry.store.map { store in
      " for " + store.container + (store.environment.map { " (\($0))" } ?? "")
    }
    let actor =
      switch entry.actor {
      case .operator: "The operator "
      case .member: "A member of the team "
      case .user: "You "
      }
    let sentence = actor + AuditRules.sentence(entry.action) + (place ?? "")
    return """
      <li>\(sentence)<br><span class="small">\(time(entry.time))</span></li>
      """
  }

  private func browserItem(_ visit: Visit, _ session: BrowserSession, isOwn: Bool) -> HTML {
    let name = session.browser.isEmpty ? "An unnamed browser" : String(session.browser.prefix(120))
    let end: HTML = """
      <form method="post" action="/account/end-browser">\(visit.hidden(seal))
      <input type="hidden" name="id" value="\(session.id)">
      <button class="quiet" aria-label="Sign out \(name)">Sign out</button></form>
      """
    return """
      <li>\(name)\(isOwn ? " (this one)" : "")<br><span class="small">since \
      \(Self.time(session.createdAt)), last used \(Self.time(session.lastUsedAt))</span>\
      \(isOwn ? nil : end)</li>
      """
  }

  private func appItem(_ visit: Visit, _ session: Session) -> HTML {
    let store = "\(session.store.container) (\(session.store.environment.rawValue))"
    return """
      <li>\(store)<br><span class="small">since \(Self.time(session.createdAt)), last used \
      \(Self.time(session.lastUsedAt))</span>
      <form method="post" action="/account/end-app">\(visit.hidden(seal))
      <input type="hidden" name="id" value="\(String(session.id.prefix(16)))">
      <button class="quiet" aria-label="End the session of \(store)">End</button></form></li>
      """
  }

  /// Formats a time such as `2026-11-23 08:15 UTC`.
  static func time(_ milliseconds: Int64) -> String {
    let text = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      .formatted(Date.ISO8601FormatStyle())
    return text.prefix(16).replacing("T", with: " ") + " UTC"
  }

  func changePassword(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let account = signedIn.account
    let (current, new) = (
      visit.request.form["current"] ?? "", visit.request.form["password"] ?? ""
    )
    if let fault = PasswordRules.fault(of: new, email: account.email) {
      return try await accountPage(visit, signedIn, alarm: fault, status: 422)
    }
    var attempt = try await attempt(visit, email: account.email, account: account)
    attempt.browser = attempt.browser ?? "session " + signedIn.session.id
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      noteRefusal("a change of the password has to wait", account, visit)
      return try await accountPage(
        visit, signedIn, alarm: Self.waitSentence(seconds), status: 429)
    }
    let proven = try await prove(account.email, current, by: attempt, isKnown: true)
    let endsApps = visit.request.form["apps"] == "yes"
    if proven != nil { throttle.succeed(attempt) }
    guard let proven,
      let renewed = try await accounts.setPassword(
        new, of: account, replacing: proven, endsApps: endsApps),
      try await begin(&visit, renewed, isKept: signedIn.session.isKept)
    else {
      noteRefusal("a change of the password failed", account, visit)
      return try await accountPage(
        visit, signedIn, alarm: "The current password is wrong.", status: 403)
    }
    try await note(
      "changed its password" + (endsApps ? " and signed out all apps" : ""), account, visit)
    await accounts.notify(account, .passwordChanged(accounts.serverName))
    return PageLayout.redirect(to: "/account")
  }

  func endBrowserSession(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let id = visit.request.form["id"] ?? ""
    for session in try await accounts.registry.browserSessions(ofAccount: signedIn.account.id)
    where session.id == id {
      try await accounts.endBrowserSession(session)
      try await note("ended the session of a browser", signedIn.account, visit)
    }
    return PageLayout.redirect(to: "/account")
  }

  func endAppSession(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let id = visit.request.form["id"] ?? ""
    try await endAppSessions(of: signedIn.account) { $0.id.prefix(16) == id }
    try await note("ended the session of an app", signedIn.account, visit)
    return PageLayout.redirect(to: "/account")
  }

  /// Ends all sessions of the account except this browser's session.
  func endAllSessions(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    try accounts.journal(.browserSessions, of: signedIn.account.id)
    try await accounts.registry.deleteBrowserSessions(
      ofAccount: signedIn.account.id, except: signedIn.session.hash)
    try await endAppSessions(of: signedIn.account) { _ in true }
    try await note("ended all its other sessions", signedIn.account, visit)
    return PageLayout.redirect(to: "/account")
  }

  private func endAppSessions(
    of account: Account, where isMeant: (Session) -> Bool
  ) async throws(ServerError) {
    for session in try await accounts.registry.sessions(ofAccount: account.id)
    where isMeant(session) {
      try await accounts.endSession(id: session.id)
    }
    accounts.memory.forget()
  }
}
