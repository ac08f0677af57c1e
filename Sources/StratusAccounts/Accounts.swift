public import StratusDomain
public import StratusWire
import Synchronization

/// Authenticates callers, and manages accounts, tokens and sessions.
public final class Accounts: Authentication {
  /// The lifetime of a token: two weeks, as with Apple's "Keep me signed in". A client that uses a
  /// token more than a minute after its issue gets a newer token in the answer.
  public static let webTokenLifetimeSeconds: UInt32 = 14 * 86_400
  /// The lifetime of a token without "Keep me signed in", as Apple documents it.
  static let shortTokenLifetimeSeconds: UInt32 = 30 * 60
  /// The lifetime of a session: 90 days, even if it is in use. Choice: Apple does not document how
  /// long a session that is in use lasts.
  public static let sessionMilliseconds: Int64 = 90 * 86_400_000
  /// The maximum number of sessions of one account with one container and environment. If one more
  /// opens, the session that was used least recently ends. Choice: a person has fewer devices.
  static let sessionsPerAccountMax = 50
  /// The container name in tokens that are valid for all containers. Only `stratus dev` issues such
  /// tokens.
  public static let anyContainer = "*"

  /// The age of a token, in milliseconds, after which an answer includes a newer token.
  private static let rotationMilliseconds: Int64 = 60_000
  /// The minimum time between two writes of a session's last use, in milliseconds.
  private static let touchMilliseconds: Int64 = 3_600_000
  /// The time after which an unused session ends, in milliseconds. The session's tokens expire
  /// earlier.
  static let idleMilliseconds = Int64(webTokenLifetimeSeconds) * 1_000 + touchMilliseconds

  let registry: any Registry
  /// The journal of removals.
  let removals: any RemovalJournal
  let ambient: Ambient
  let randomness: Randomness
  let names: UserNames
  /// See ``LimitSettings/signatureWindowSeconds``.
  let signatureWindowSeconds: Int64
  /// See ``LimitSettings/auditDays``.
  let auditDays: Int64
  let passwords: PasswordPool
  /// The settings for mails and sign-up, or nil if the server offers neither.
  let mail: MailSettings?
  /// Seals secrets that the registry stores.
  let secretSeal: SecretSeal
  /// See ``LimitSettings/passwordLogRounds``.
  let passwordLogRounds: Int
  private let signingKeys: any SigningKeyStore
  private let tokenKeys: Mutex<[SigningKey]>
  /// Seals the texts that browsers keep for the server.
  let pageSeal: PageSeal
  let memory = AdmissionMemory()
  /// The URL at which a development server can be reached, or nil before it is ready.
  private let readyURL = Mutex<String?>(nil)
  /// Writes security events into the log.
  let audit: Audit

  /// - Parameters:
  ///   - removals: stores removals and revocations. After the restore of an older backup, the
  ///     server repeats them.
  ///   - audit: writes security events into the log.
  ///   - mail: the settings for mails and sign-up, or nil if the server offers neither.
  /// - Throws: an error of the registry or of the keys.
  public init(
    registry: any Registry, signingKeys: any SigningKeyStore, ambient: Ambient,
    randomness: @escaping Randomness, limits: LimitSettings = .unpaced,
    removals: any RemovalJournal = NoRemovalJournal(),
    audit: Audit = Audit { _ in }, passwordThreads: Int = 1, mail: MailSettings? = nil
  ) async throws(ServerError) {
    self.mail = mail
    signatureWindowSeconds = limits.signatureWindowSeconds
    auditDays = limits.auditDays
    passwordLogRounds = limits.passwordLogRounds
    passwords = PasswordPool(runningMax: passwordThreads)
    self.registry = registry
    self.removals = removals
    self.audit = audit
    self.signingKeys = signingKeys
    self.ambient = ambient
    self.randomness = randomness
    let nameKeys = try signingKeys.keys(
      for: SigningPurpose.userNames, orKeep: randomness(32))
    names = UserNames(secret: nameKeys.last?.bytes ?? [])
    tokenKeys = Mutex(
      try signingKeys.keys(for: SigningPurpose.webAuthTokens, orKeep: randomness(32)))
    pageSeal = PageSeal(
      secrets: try signingKeys.keys(for: SigningPurpose.pages, orKeep: randomness(32)).map(\.bytes))
    secretSeal = SecretSeal(
      keys: try signingKeys.keys(for: SigningPurpose.storedSecrets, orKeep: randomness(32)))
    try await nameEarlierUsers()
  }

  public func admit(_ request: AdmissionRequest) async throws(ServerError) -> Admission {
    if !request.signatureHeaders.isEmpty { return try await admitSigned(request) }
    let question = AdmissionMemory.Question(
      credentials: request.credentials, store: request.store)
    let now = ambient.now()
    await noticeChanges(now: now)
    let (known, changes) = memory.admission(question, now: now)
    if let known { return known }
    // NB: this check concerns callers that may be guessing tokens. A caller with a token that this
    // server sealed has not guessed it, even if others at the same address are guessing.
    if request.credentials.webAuthToken.flatMap(sealedToken) == nil { try request.requireTrust() }
    let admission = try await examine(request, now: now)
    memory.keep(admission, for: question, now: now, ifStill: changes)
    return admission
  }

  private func examine(
    _ request: AdmissionRequest, now: Int64
  ) async throws(ServerError) -> Admission {
    let failed = ServerError(.authenticationFailed, Reason.authenticationFailed)
    let store = request.store
    guard let apiToken = request.credentials.apiToken,
      let known = try await registry.apiToken(hash: APIToken.hash(ofText: apiToken)),
      known.store.covers(store)
    else { throw failed }
    var admission = Admission(
      principal: .apiToken(id: known.id), allowedOrigins: known.allowedOrigins)
    if known.store.container == Self.anyContainer {
      admission.createsContainer = try await mayAdopt(store.container)
    }
    guard let text = request.credentials.webAuthToken, !text.isEmpty else { return admission }
    guard let token = try await token(text) else { throw failed }
    let session = try await session(of: token, now: now)
    guard session.store.covers(store),
      let account = try await registry.account(id: session.accountID)
    else { throw failed }
    // Choice: the holder of a valid token may learn that the account is disabled. StratusKit
    // derives the account status from this error reason.
    if account.isDisabled { throw ServerError(.authenticationFailed, Reason.accountDisabled) }
    if account.isRestricted { throw ServerError(.accessDenied, Reason.accountRestricted) }
    await touch(session, now: now)
    let user =
      admission.createsContainer
      ? names.userRecordName(accountID: account.id, container: store.container)
      : try await user(account.id, in: store.container)
    admission.principal = .userSession(
      UserSession(userRecordName: user, sessionID: session.id, accountID: account.id))
    admission.nextWebAuthToken = rotated(token, now: now)
    return admission
  }

  /// Checks whether another process has changed the registry. If so, clears the cache and reads the
  /// token keys again.
  ///
  /// If the registry cannot be read, this method does not fail. Requests with cached answers then
  /// still succeed for a while.
  func noticeChanges(now: Int64) async {
    guard memory.mustReadVersion(now: now) else { return }
    do throws(ServerError) {
      let version = try await registry.version()
      if memory.note(version: version, now: now) { try readTokenKeys() }
    } catch { return }
  }

  /// Decodes a web auth token and verifies its signature.
  ///
  /// - Returns: nil if the text was not signed with one of the server's keys.
  func token(_ text: String) async throws(ServerError) -> WebAuthToken? {
    if let token = sealedToken(text) { return token }
    // Another process may have made a new key a moment ago.
    let version = try await registry.version()
    guard memory.note(version: version, now: ambient.now()) else { return nil }
    try readTokenKeys()
    return sealedToken(text)
  }

  /// Opens a web auth token with the keys that this process knows.
  private func sealedToken(_ text: String) -> WebAuthToken? {
    WebAuthToken(text: text, sealedWith: tokenKeys.withLock { $0 })
  }

  private func readTokenKeys() throws(ServerError) {
    let keys = try signingKeys.keys(
      for: SigningPurpose.webAuthTokens, orKeep: randomness(32))
    tokenKeys.withLock { $0 = keys }
    pageSeal.replace(
      by: try signingKeys.keys(for: SigningPurpose.pages, orKeep: randomness(32)).map(\.bytes))
  }

  /// Returns the session of a token, if the session and the token are still valid.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED`, so that CloudKit JS offers sign-in again.
  private func session(
    of token: WebAuthToken, now: Int64
  ) async throws(ServerError) -> Session {
    let session = try await registry.session(id: token.sessionID)
    guard let session, !token.isOver(at: now), Self.isValid(session, at: now) else {
      throw ServerError(.authenticationRequired, Reason.sessionEnded)
    }
    return session
  }

  /// Whether a session has not ended yet, and was used recently enough.
  static func isValid(_ session: Session, at now: Int64) -> Bool {
    now <= session.endsAt && now <= session.lastUsedAt + idleMilliseconds
  }

  /// Stores the time of a session's last use. If the registry cannot be written, the request still
  /// succeeds.
  func touch(_ session: Session, now: Int64) async {
    guard now - session.lastUsedAt >= Self.touchMilliseconds else { return }
    do throws(ServerError) {
      try await registry.touchSession(id: session.id, at: now)
    } catch { return }
  }

  private func rotated(_ token: WebAuthToken, now: Int64) -> String? {
    guard now - token.issuedAt > Self.rotationMilliseconds else { return nil }
    return sealed(
      WebAuthToken(
        sessionID: token.sessionID, issuedAt: now, lifetimeSeconds: token.lifetimeSeconds))
  }

  func sealed(_ token: WebAuthToken) -> String? {
    tokenKeys.withLock(\.first).map { token.text(sealedWith: $0) }
  }

  /// Whether the first write to a container creates the container, because it does not exist yet.
  /// Is called only if the API token is valid for all containers.
  private func mayAdopt(_ container: String) async throws(ServerError) -> Bool {
    try ContainerName.check(container)
    return try await !registry.containers().contains(container)
  }

  /// On a development server, creates the container and the caller's user before the first write.
  ///
  /// - Throws: `BAD_REQUEST` if the container's name is not legal; an error of the registry.
  public func adopt(_ container: String, by principal: Principal) async throws(ServerError) {
    try ContainerName.check(container)
    guard try await registry.createContainer(id: container) else { return }
    if case .userSession(let session) = principal {
      _ = try await user(session.accountID, in: container)
    }
    memory.forget()
  }

  /// Opens a session for an account.
  ///
  /// - Parameter lifetimeSeconds: the lifetime of each token. See ``webTokenLifetimeSeconds``.
  /// - Returns: the first web auth token of the session.
  func openSession(
    of account: Account, with store: StoreAddress,
    lifetimeSeconds: UInt32 = webTokenLifetimeSeconds
  ) async throws(ServerError) -> String {
    let now = ambient.now()
    let session = Session(
      id: randomness(32).hex, accountID: account.id, store: store, createdAt: now,
      lastUsedAt: now, endsAt: now + Self.sessionMilliseconds)
    try await registry.create(session, countMax: Self.sessionsPerAccountMax)
    if store.container != Self.anyContainer {
      _ = try await user(account.id, in: store.container)
    }
    let token = sealed(
      WebAuthToken(
        sessionID: session.id, issuedAt: now, lifetimeSeconds: lifetimeSeconds))
    guard let token else { throw .fault("there is no key for web auth tokens") }
    return token
  }

  /// The server's URL in the links of invitations. It is nil until a development server is ready.
  var linkURL: String? { mail?.serverURL ?? readyURL.withLock { $0 } }

  /// Stores the URL at which a development server can be reached.
  public func setReadyURL(_ url: String) { readyURL.withLock { $0 = url } }

  /// The number of passwords that were hashed so far, for tests.
  package var passwordHashCount: Int { passwords.count }

  /// Replaces the keys that sign tokens and that seal the texts in browsers. Tokens and texts that
  /// were made with the previous keys stay valid until the next rotation.
  ///
  /// - Throws: an error of the key files or of the registry.
  func rotateTokenKey() async throws(ServerError) {
    try signingKeys.rotate(SigningPurpose.webAuthTokens, to: randomness(32))
    try signingKeys.rotate(SigningPurpose.pages, to: randomness(32))
    try readTokenKeys()
    memory.forget()
    try await registry.advanceVersion()
  }

  /// The secret that is the API token of a development server, as bytes.
  func developerKey() throws(ServerError) -> [UInt8] {
    let keys = try signingKeys.keys(
      for: SigningPurpose.developerAPIToken, orKeep: randomness(32))
    return keys.last?.bytes ?? []
  }
}

extension StoreAddress {
  /// Whether a token for this address is valid for another address.
  func covers(_ other: StoreAddress) -> Bool {
    container == Accounts.anyContainer || self == other
  }
}
