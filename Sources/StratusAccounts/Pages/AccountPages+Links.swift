import StratusDomain
import StratusWire

/// The page on which a user links the account to identity providers, and removes links.
extension AccountPages {
  func showProviders(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await providersPage(visit, signedIn)
  }

  func providersPage(
    _ visit: Visit, _ signedIn: (session: BrowserSession, account: Account),
    alarm: String? = nil, status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let account = signedIn.account
    let links = try await accounts.registry.providerLinks(ofAccount: account.id)
    let all = providers?.providers ?? []
    let items = links.map { link -> HTML in
      let name = all.first { $0.issuer == link.issuer }?.name ?? link.issuer
      return """
        <li><label class="check"><input type="radio" name="id" value="\(Self.id(of: link))" \
        required><span>\(name) \(link.email)<br><span class="small">since \
        \(Self.time(link.createdAt))</span></span></label></li>
        """
    }
    let remove: HTML = """
      <form method="post" action="/account/providers/remove">\(visit.hidden(seal))
      <ul>\(HTML(items))</ul>
      \(try await proofFields("remove", of: account))
      <button class="quiet">Remove</button></form>
      """
    let choices = all.map { provider -> HTML in
      "<button name=\"provider\" value=\"\(provider.id)\">Link \(provider.name)</button>"
    }
    let add: HTML = """
      <h2>Link another account</h2>
      <form method="post" action="/account/providers/link">\(visit.hidden(seal))
      \(try await proofFields("link", of: account))
      <div class="row">\(HTML(choices))</div></form>
      """
    let content: HTML = """
      <h1>Other accounts</h1>\(Self.warning(alarm))
      <p>You can sign in with an account at another provider, if you link it here.</p>
      \(links.isEmpty ? nil : remove)\(all.isEmpty ? nil : add)\(Self.backLink)
      """
    return PageLayout.answer("Other accounts", content, status: status)
  }

  /// The ID of a link in a form. It does not disclose the user's name at the provider.
  private static func id(of link: ProviderLink) -> String {
    Array(Digest.sha256(Array("\(link.issuer)\n\(link.subject)".utf8)).prefix(8)).hex
  }

  /// Checks the user again, and shows a page from which the browser goes to the provider.
  ///
  /// NB: the answer is a page and not a redirect, because the content security policy limits the
  /// redirects after a form.
  func askForLink(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    guard let provider = providers?.provider(id: visit.request.form["provider"] ?? "") else {
      return Self.noPage
    }
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await providersPage(visit, signedIn, alarm: alarm, status: status)
    }
    let owner = (id: signedIn.account.id, sessionID: signedIn.session.id)
    guard let url = await authorizationURL(visit, provider, [:], linking: owner) else {
      return try await providersPage(
        visit, signedIn, alarm: Self.silentProvider(provider), status: 503)
    }
    let content: HTML = """
      <h1>Continue at \(provider.name)</h1>
      <p>Sign in there with the account that you want to link.</p>
      <p><a href="\(url)">Continue</a></p>
      <p><a href="/account/providers">Cancel</a></p>
      """
    return PageLayout.answer("Continue at \(provider.name)", content)
  }

  func removeLink(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await providersPage(visit, signedIn, alarm: alarm, status: status)
    }
    let account = signedIn.account
    for link in try await accounts.registry.providerLinks(ofAccount: account.id)
    where Self.id(of: link) == visit.request.form["id"] {
      switch try await accounts.registry.deleteProviderLink(
        issuer: link.issuer, subject: link.subject, ofAccount: account.id,
        keepingSession: signedIn.session.hash)
      {
      case .unknown: break
      case .isLast:
        return try await providersPage(
          visit, signedIn,
          alarm: "This is your only way to sign in. Set a password or a passkey first.",
          status: 409)
      case .removed:
        try accounts.journal(.providerLink, of: link.subject, detail: link.issuer)
        try accounts.journal(.browserSessions, of: account.id)
        try await note("removed a link to an identity provider", account, visit)
        await accounts.notify(account, .providerUnlinked(accounts.serverName))
      }
    }
    return PageLayout.redirect(to: "/account/providers")
  }
}
