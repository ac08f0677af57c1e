import StratusDomain
import StratusWire

/// The sign-in at an identity provider (OpenID Connect Core 1.0 §3.1, the authorization code flow).
extension AccountPages {
  static let callbackPrefix = "/auth/callback/"

  /// Returns the links to the providers, for the page with the sign-in form.
  ///
  /// NB: these are links and not forms. The content security policy limits the target of a form and
  /// of the redirects after it, but a provider may redirect to any host.
  func providerLinks(_ goal: SignInGoal) -> HTML {
    let query = goal.values.sorted { $0.key < $1.key }.map {
      "&\($0.key)=\(Self.encode($0.value))"
    }.joined()
    return HTML(
      (providers?.providers ?? []).map { provider -> HTML in
        """
        <p><a href="/auth/provider?id=\(provider.id + query)">Sign in with \(provider.name)</a></p>
        """
      })
  }

  /// Sends the browser to the provider. The server stores nothing.
  func goToProvider(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let provider = providers?.provider(id: visit.request.query["id"] ?? "") else {
      return Self.noPage
    }
    switch try await goal(in: visit.request.query) {
    case .refused(let page): return page
    case .goal(let goal):
      // NB: many providers ask nothing if the user is already signed in there. Without this check,
      // a page of another site could sign the browser in without an action of the user (OWASP ASVS
      // 7.6.2).
      guard visit.comesFromOwnPage else { return signInForm(visit, goal) }
      guard let url = await authorizationURL(visit, provider, goal.values, linking: nil) else {
        return signInForm(visit, goal, alarm: Self.silentProvider(provider), status: 503)
      }
      return PageLayout.redirect(to: url)
    }
  }

  static func silentProvider(_ provider: IdentityProvider) -> String {
    "\(provider.name) does not answer. Try again later, or sign in in another way."
  }

  /// Returns the URL of the provider's page, or nil if the provider does not answer.
  ///
  /// - Parameter account: the account to link, with the browser session that asked for the link. It
  ///   is nil for a sign-in.
  func authorizationURL(
    _ visit: Visit, _ provider: IdentityProvider, _ goal: [String: String],
    linking account: (id: String, sessionID: String)?
  ) async -> String? {
    let now = accounts.ambient.now()
    let description: ProviderDescription
    do throws(ProviderClient.Fault) {
      guard let providers else { return nil }
      description = try await providers.description(of: provider, now: now)
    } catch {
      accounts.audit.noteRefusal(
        "the identity provider '\(provider.id)' cannot be used: \(error.reason)", at: now)
      return nil
    }
    let state = ProviderState(
      provider, linking: account, cookie: visit.formCookie, goal: goal, sealedBy: seal,
      randomness: accounts.randomness, now: now)
    let fields = [
      ("response_type", "code"), ("client_id", provider.clientID),
      ("redirect_uri", Self.redirectURL(visit, provider)), ("scope", provider.scope),
      ("state", state.text), ("nonce", state.nonce(seal)),
      ("code_challenge", state.challenge(seal)), ("code_challenge_method", "S256"),
    ]
    let query = fields.map { "\($0)=\(Self.encode($1))" }.joined(separator: "&")
    let url = description.authorizationURL
    return url + (url.contains("?") ? "&" : "?") + query
  }

  private static func redirectURL(_ visit: Visit, _ provider: IdentityProvider) -> String {
    visit.request.serverURL + callbackPrefix + provider.id
  }

  /// Answers the browser that comes back from a provider.
  func comeBack(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let id = String(visit.request.path.dropFirst(Self.callbackPrefix.count))
    guard let client = providers, let provider = client.provider(id: id) else {
      return Self.noPage
    }
    let query = visit.request.query
    let now = accounts.ambient.now()
    guard
      let state = ProviderState(
        text: query["state"] ?? "", of: id, cookie: visit.formCookie, sealedBy: seal, now: now),
      try await accounts.registry.create([state.used], within: nil, at: now)
    else {
      return signInForm(
        visit, SignInGoal(), alarm: "This sign-in has expired. Begin again.", status: 403)
    }
    let goal: SignInGoal
    switch try await self.goal(in: state.goal) {
    case .refused(let page): return page
    case .goal(let found): goal = found
    }
    func refuse(_ reason: String) -> PageAnswer {
      accounts.audit.noteRefusal(
        "a sign-in at '\(id)' failed: \(reason), from \(visit.subscriber)", at: now)
      return signInForm(
        visit, goal, alarm: "The sign-in with \(provider.name) failed. Try again.", status: 403)
    }
    let user: Accounts.ProviderUser
    do throws(ProviderClient.Fault) {
      let description = try await client.description(of: provider, now: now)
      // RFC 9207 §2.4: the answer of another issuer must not be accepted.
      guard query["iss"] == nil ? !description.namesIssuer : query["iss"] == provider.issuer else {
        return refuse("the answer names another issuer, or none")
      }
      guard query["error"] == nil, let code = query["code"], (1...4_096).contains(code.utf8.count)
      else { return refuse("the provider gave no code") }
      user = try await accounts.providerUser(
        code: code, state: state, redirectURL: Self.redirectURL(visit, provider), at: provider,
        by: client)
    } catch { return refuse(error.reason) }
    if state.accountID != nil { return try await finishLink(visit, user, state, provider) }
    return try await finishSignIn(&visit, user, goal, provider)
  }

  private func finishSignIn(
    _ visit: inout Visit, _ user: Accounts.ProviderUser, _ goal: SignInGoal,
    _ provider: IdentityProvider
  ) async throws(ServerError) -> PageAnswer {
    let account: Account
    switch try await accounts.signIn(user) {
    case .account(let known): account = known
    case .linked(let known, let isNew):
      account = known
      try await note(
        "was \(isNew ? "created by" : "linked to") '\(provider.id)'", known, visit)
      await accounts.notify(known, .providerLinked(accounts.serverName, provider.name))
    case .refused:
      noteRefusal("a sign-in at '\(provider.id)' opens no account", nil, visit)
      return signInForm(
        visit, goal, alarm: "This user of \(provider.name) cannot sign in here.", status: 403)
    case .unknown:
      noteRefusal("a user of '\(provider.id)' has no account", nil, visit)
      return signInForm(
        visit, goal,
        alarm: "No account belongs to this user of \(provider.name). Sign in in another way, and "
          + "link it on your account page.", status: 403)
    }
    if try await accounts.registry.factor(ofAccount: account.id) != nil {
      try await note(
        "signed in at '\(provider.id)', and is asked for its second factor", account, visit)
      let pending = PendingSignIn(
        accountID: account.id, proof: .provider(issuer: user.issuer, subject: user.subject),
        isKept: false, issuedAt: accounts.ambient.now())
      return secondStepForm(visit, goal, pending.text(sealedBy: seal))
    }
    guard try await begin(&visit, account, by: user.proof, isKept: false) else {
      return PageLayout.redirect(to: goal.formPath)
    }
    try await endEarlierSession(of: visit)
    try await note("signed in at '\(provider.id)'", account, visit)
    return PageLayout.redirect(to: goal.path)
  }

  /// Links the user of the provider to the account that asked for the link in this browser.
  private func finishLink(
    _ visit: Visit, _ user: Accounts.ProviderUser, _ state: ProviderState,
    _ provider: IdentityProvider
  ) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn, signedIn.account.id == state.accountID,
      signedIn.session.id == state.sessionID
    else { return PageLayout.redirect(to: "/auth/sign-in") }
    guard try await accounts.link(user, to: signedIn.account) else {
      return try await providersPage(
        visit, signedIn, alarm: "This user of \(provider.name) is linked already.", status: 409)
    }
    try await note("was linked to '\(provider.id)'", signedIn.account, visit)
    await accounts.notify(
      signedIn.account, .providerLinked(accounts.serverName, provider.name))
    return PageLayout.redirect(to: "/account/providers")
  }
}
