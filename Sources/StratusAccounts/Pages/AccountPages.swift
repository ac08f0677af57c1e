import Foundation
public import StratusDomain
import StratusWire

/// The web pages for signing in and for managing an account (docs/internals/signin.md).
///
/// All forms except those for passkeys work without JavaScript. A GET request changes nothing, with
/// one exception: when a browser comes back from an identity provider, the GET request signs the
/// user in or links the account.
public final class AccountPages: WebPages {
  let accounts: Accounts
  var seal: PageSeal { accounts.pageSeal }
  let throttle = SignInThrottle()
  /// Finds the shares of the pages under `/share/`. If it is nil, there are no such pages.
  let shares: ShareDesk?
  /// Reports the state of users' devices. If it is nil, the pages show no devices.
  let devices: DeviceReports?
  let mailPace = MailPace()
  /// Limits the mails by which one account confirms further addresses.
  let addressPace = MailPace(countMax: MailSettings.addressesPerSender)
  let pollPace = PollPace()
  /// The identity providers at which users can sign in, or nil if there are none.
  let providers: ProviderClient?
  /// Deletes accounts, or nil if the pages offer no deletion.
  let remover: AccountRemover?
  /// Exports accounts, or nil if the pages offer no export.
  let archives: AccountArchives?
  let report: @Sendable (ServerError) -> Void

  init(
    accounts: Accounts, shares: ShareDesk?, providers: ProviderClient?, devices: DeviceReports?,
    remover: AccountRemover?, archives: AccountArchives?,
    report: @escaping @Sendable (ServerError) -> Void
  ) {
    self.remover = remover
    self.archives = archives
    self.providers = providers
    self.accounts = accounts
    self.shares = shares
    self.devices = devices
    self.report = report
  }

  public func answer(_ request: PageRequest) async -> PageAnswer {
    do throws(ServerError) { return try await route(request) } catch {
      switch error.code {
      case .tryAgainLater, .throttled:
        var answer = PageLayout.answer(
          "Try again", "<h1>Please try again</h1><p>The server is busy. Wait a moment.</p>",
          status: 503, hasOpener: true)
        answer.fields.append(("Retry-After", String(error.retryAfterSeconds ?? 10)))
        return answer
      default:
        report(error)
        return PageLayout.answer(
          "Error", "<h1>Something failed</h1><p>The server's log says more. Try again.</p>",
          status: 500, hasOpener: true)
      }
    }
  }

  private func route(_ request: PageRequest) async throws(ServerError) -> PageAnswer {
    switch request.path {
    case PageLayout.stylePath: return PageLayout.file(PageLayout.style, type: "text/css")
    case PageLayout.scriptPath:
      return PageLayout.file(PageLayout.script, type: "text/javascript")
    case PageLayout.shareScriptPath:
      return PageLayout.file(PageLayout.shareScript, type: "text/javascript")
    case PasskeyScript.path: return PageLayout.file(PasskeyScript.text, type: "text/javascript")
    case SharePanel.scriptPath:
      return PageLayout.file(SharePanel.script, type: "text/javascript")
    default: break
    }
    if let panel = SharePanel.answer(request.path) { return panel }
    if let answer = try await answerDevice(request) { return answer }
    guard Visit.isPrivate(request.serverURL) else { return Self.needsEncryption }
    await accounts.noticeChanges(now: accounts.ambient.now())
    var visit = try await Visit(request, pages: self)
    if request.isPost, !visit.isOwnForm(seal) { return Self.foreignForm }
    var answer = try await page(&visit)
    answer.fields += visit.cookieFields
    return answer
  }

  private func page(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    switch (visit.request.path, visit.request.isPost) {
    case ("/auth/sign-in", false): return try await showSignIn(&visit)
    case ("/auth/sign-in", true): return try await signIn(&visit)
    case ("/auth/passkey", false): return PageLayout.redirect(to: "/auth/sign-in")
    case ("/auth/passkey", true): return try await signInWithPasskey(&visit)
    case ("/auth/second-step", false): return PageLayout.redirect(to: "/auth/sign-in")
    case ("/auth/second-step", true): return try await takeSecondStep(&visit)
    case ("/auth/sign-up", false): return showMailPage(visit, .signUp)
    case ("/auth/sign-up", true): return try await sendMail(visit, .signUp)
    case ("/auth/reset", false): return showMailPage(visit, .reset)
    case ("/auth/reset", true): return try await sendMail(visit, .reset)
    case ("/auth/code", false): return try await showCode(visit)
    case ("/auth/code", true): return try await useCode(&visit)
    case (AddressPage.path, false): return try await showAddress(visit)
    case (AddressPage.path, true): return try await confirmAddress(&visit)
    case ("/auth/continue", true): return try await continueToApp(&visit)
    case ("/auth/cancel", true): return try await cancel(&visit)
    case (DevicePage.path, false): return try await showDevice(visit)
    case (DevicePage.path + "/approve", true):
      return try await decideDevice(&visit, approves: true)
    case (DevicePage.path + "/refuse", true):
      return try await decideDevice(&visit, approves: false)
    case ("/auth/sign-out", true): return try await signOut(&visit)
    case ("/account", false): return try await showAccount(&visit)
    case ("/account/password", true): return try await changePassword(&visit)
    case ("/account/end-browser", true): return try await endBrowserSession(&visit)
    case ("/account/end-app", true): return try await endAppSession(&visit)
    case ("/account/end-all", true): return try await endAllSessions(&visit)
    case ("/account/passkeys", false): return try await showPasskeys(visit)
    case ("/account/passkeys/new", true): return try await askForPasskey(visit)
    case ("/account/passkeys/add", true): return try await addPasskey(visit)
    case ("/account/passkeys/change", true): return try await changePasskey(visit)
    case ("/account/passkeys/only", true): return try await removePassword(visit)
    case ("/auth/provider", false): return try await goToProvider(visit)
    case ("/account/providers", false): return try await showProviders(visit)
    case ("/account/providers/link", true): return try await askForLink(visit)
    case ("/account/providers/remove", true): return try await removeLink(visit)
    case ("/account/devices", false): return try await showDevices(visit)
    case ("/account/devices/consent", true): return try await makeConsent(visit)
    case ("/account/devices/end", true): return try await endConsents(visit)
    case ("/account/profile", false): return try await showProfile(visit)
    case ("/account/profile", true): return try await changeProfile(visit)
    case ("/account/addresses/remove", true): return try await removeAddress(visit)
    case ("/account/data", false): return try await showData(visit)
    case ("/account/data/restrict", true): return try await changeRestriction(visit)
    case ("/account/data/export", true): return try await exportData(visit)
    case ("/account/data/delete", true): return try await deleteAccount(&visit)
    case ("/account/factor", false): return try await showFactor(visit)
    case ("/account/factor", true): return try await setUpFactor(&visit)
    case ("/account/factor/change", true): return try await changeFactor(&visit)
    default:
      if visit.request.path.hasPrefix("/share/") { return try await sharePage(&visit) }
      if visit.request.path.hasPrefix(Self.callbackPrefix), !visit.request.isPost {
        return try await comeBack(&visit)
      }
      return Self.noPage
    }
  }

  public func signInPath(
    apiToken: String, store: StoreAddress, origin: String?
  ) async -> String? {
    guard
      let token = try? await accounts.registry.apiToken(hash: APIToken.hash(ofText: apiToken)),
      token.store.covers(store)
    else { return nil }
    let request = SignInRequest(
      apiTokenHash: token.hash.hex, store: store, origin: origin.flatMap(WebOrigin.known),
      issuedAt: accounts.ambient.now())
    return "/auth/sign-in?request=" + request.text(sealedBy: seal)
  }

  // Pages that do not depend on a ``Visit``

  private static let needsEncryption = PageLayout.answer(
    "HTTPS is needed",
    """
    <h1>This page needs HTTPS</h1>
    <p>A password must not cross a network in clear text. The operator of this server can set up \
    a certificate or a proxy.</p>
    """, status: 403)

  private static let foreignForm = PageLayout.answer(
    "Form expired",
    """
    <h1>This form has expired</h1>
    <p>Open the page again and repeat the step. The browser must accept cookies of this server.</p>
    """, status: 403, hasOpener: true)
}

extension Accounts {
  /// Creates the server's own web pages.
  ///
  /// - Parameters:
  ///   - shares: finds the shares of the pages under `/share/`. If it is nil, there are no such
  ///     pages.
  ///   - providers: the identity providers at which users can sign in, or nil if there are none.
  ///   - devices: reports the state of users' devices. If it is nil, the pages show no devices.
  ///   - remover: deletes accounts. If it is nil, the pages offer no deletion.
  ///   - archives: exports accounts. If it is nil, the pages offer no export.
  ///   - report: called with errors that a page cannot show.
  public func webPages(
    shares: ShareDesk? = nil, providers: ProviderClient? = nil, devices: DeviceReports? = nil,
    remover: AccountRemover? = nil, archives: AccountArchives? = nil,
    report: @escaping @Sendable (ServerError) -> Void
  ) -> AccountPages {
    AccountPages(
      accounts: self, shares: shares, providers: providers, devices: devices, remover: remover,
      archives: archives, report: report)
  }
}
