import StratusDomain
import StratusWire

extension Accounts {
  /// The maximum number of links of an account to users of identity providers.
  static let linksMax = 10

  /// A user of an identity provider, as a checked ID token describes the user.
  struct ProviderUser: Sendable, Hashable {
    let issuer: String
    let subject: String
    /// The e-mail address in lower case, if the provider calls it verified and the operator trusts
    /// the provider for its domain.
    let trustedEmail: String?
    /// The e-mail address as the provider states it, or an empty text.
    let shownEmail: String
    /// The telephone number, if the provider calls it verified and the operator trusts the provider
    /// for telephone numbers.
    var trustedPhone: String?

    var proof: SignInProof { .provider(issuer: issuer, subject: subject) }
  }

  /// The outcome of a sign-in at a provider.
  enum ProviderSignIn: Sendable {
    case account(Account)
    /// The user was linked to an account by this sign-in. `isNew` tells whether the sign-in also
    /// created the account.
    case linked(Account, isNew: Bool)
    /// No account belongs to the user, and the rules permit no link.
    case unknown
    /// The account is disabled or has too many links, or another request has linked the user.
    case refused
  }

  /// Returns the user whom an identity provider has signed in.
  ///
  /// - Parameters:
  ///   - code: the code in the request by which the browser comes back from the provider.
  ///   - redirectURL: the URL of this request without its query.
  func providerUser(
    code: String, state: ProviderState, redirectURL: String, at provider: IdentityProvider,
    by client: ProviderClient
  ) async throws(ProviderClient.Fault) -> ProviderUser {
    let now = ambient.now()
    let text = try await client.exchange(
      code: code, verifier: state.verifier(pageSeal), redirectURL: redirectURL, at: provider,
      now: now)
    let token: IDTokenCheck.SignedToken
    do throws(IDTokenCheck.Fault) { token = try IDTokenCheck.SignedToken(text) } catch {
      throw ProviderClient.Fault(error.rawValue)
    }
    let key = try await client.key(of: token, at: provider, now: now)
    do throws(IDTokenCheck.Fault) {
      try IDTokenCheck.check(
        token, signedBy: key, of: provider, nonce: state.nonce(pageSeal), now: now)
    } catch { throw ProviderClient.Fault(error.rawValue) }
    let email = token.claims.email?.lowercased() ?? ""
    let isTrusted =
      token.claims.isEmailVerified && MailAddress.isValid(email) && provider.trusts(email)
    return ProviderUser(
      issuer: provider.issuer, subject: token.claims.subject,
      trustedEmail: isTrusted ? email : nil, shownEmail: String(email.prefix(320)),
      trustedPhone: provider.isTrustedForPhones && token.claims.isPhoneVerified
        ? token.claims.phoneNumber.flatMap(PhoneNumber.normal) : nil)
  }

  /// Finds or creates the account of a provider's user.
  ///
  /// 1. If the user has a link, only this link counts.
  /// 2. Without a link, the user is linked to the account with the user's trusted e-mail address.
  /// 3. Without such an account, one is created if everyone may sign up.
  func signIn(_ user: ProviderUser) async throws(ServerError) -> ProviderSignIn {
    let outcome = try await accountOf(user)
    switch outcome {
    case .account(let account), .linked(let account, _): try await keepPhone(of: user, account)
    case .unknown, .refused: break
    }
    return outcome
  }

  /// Stores the telephone number that the provider states now, or removes an earlier one.
  private func keepPhone(
    of user: ProviderUser, _ account: Account
  ) async throws(ServerError) {
    let known = try await registry.phones(ofAccount: account.id)
      .first { $0.issuer == user.issuer }?.number
    guard known != user.trustedPhone else { return }
    try await registry.setPhone(
      user.trustedPhone, verifiedBy: user.issuer, ofAccount: account.id)
  }

  private func accountOf(_ user: ProviderUser) async throws(ServerError) -> ProviderSignIn {
    let found = try await registry.providerLink(issuer: user.issuer, subject: user.subject)
    if let found {
      guard let account = try await registry.account(id: found.accountID), !account.isDisabled
      else { return .refused }
      return .account(account)
    }
    guard let email = user.trustedEmail else { return .unknown }
    if let account = try await registry.account(email: email) {
      if account.isDisabled { return .refused }
      return try await link(user, to: account) ? .linked(account, isNew: false) : .refused
    }
    guard mail?.policy == .open else { return .unknown }
    let account = Account(id: randomness(16).hex, email: email, isDisabled: false)
    let isCreated = try await registry.create(
      link(of: user, to: account), creating: account, countMax: Self.linksMax)
    return isCreated ? .linked(account, isNew: true) : .refused
  }

  /// Links a provider's user to an account.
  ///
  /// - Returns: false if the user is linked already, or if the account has too many links.
  func link(_ user: ProviderUser, to account: Account) async throws(ServerError) -> Bool {
    guard
      try await registry.create(
        link(of: user, to: account), creating: nil, countMax: Self.linksMax)
    else { return false }
    try await keepPhone(of: user, account)
    return true
  }

  private func link(of user: ProviderUser, to account: Account) -> ProviderLink {
    ProviderLink(
      issuer: user.issuer, subject: user.subject, accountID: account.id, email: user.shownEmail,
      createdAt: ambient.now())
  }
}
