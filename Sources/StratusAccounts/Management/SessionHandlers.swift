public import StratusDomain
import StratusWire

/// Answers ``CreateWebToken``.
struct CreateWebTokenHandler: ManagementHandler {
  typealias Endpoint = CreateWebToken

  let accounts: Accounts

  func answer(_ request: CreateWebToken.Request) async throws(ServerError) -> TokenResponse {
    try await accounts.requireContainer(request.containerID)
    let account = try await accounts.account(email: request.email)
    if account.isDisabled { throw .badRequest("the account is disabled") }
    let store = StoreAddress(container: request.containerID, environment: request.environment)
    let token = try await accounts.openSession(of: account, with: store)
    accounts.audit.noteChange(
      "made a web auth token of the account '\(account.email)' for \(store.inLog)")
    return TokenResponse(token: token)
  }
}

/// Answers ``ListWebTokens``.
struct ListWebTokensHandler: ManagementHandler {
  typealias Endpoint = ListWebTokens

  let accounts: Accounts

  func answer(
    _ request: ListWebTokens.Request
  ) async throws(ServerError) -> ListWebTokens.Response {
    try await accounts.forgetEndedSessions()
    var emails: [String: String] = [:]
    for account in try await accounts.registry.accounts() { emails[account.id] = account.email }
    let items = try await accounts.registry.sessions().map { session in
      ListWebTokens.Item(
        id: String(session.id.prefix(Accounts.shownIDLength)),
        email: emails[session.accountID] ?? "", containerID: session.store.container,
        environment: session.store.environment.rawValue, createdAt: session.createdAt,
        lastUsedAt: session.lastUsedAt, endsAt: session.endsAt)
    }
    return ListWebTokens.Response(sessions: items)
  }
}

/// Answers ``RevokeWebToken``.
struct RevokeWebTokenHandler: ManagementHandler {
  typealias Endpoint = RevokeWebToken

  let accounts: Accounts
  /// Disconnects the listeners of ended sessions.
  let releaseEnded: @Sendable () async throws(ServerError) -> Void

  func answer(_ request: TokenIDRequest) async throws(ServerError) -> EmptyRequest {
    let ids = try await accounts.registry.sessions().map(\.id).filter {
      $0.prefix(Accounts.shownIDLength) == request.id || $0 == request.id
    }
    if ids.isEmpty {
      throw ServerError(
        .notFound,
        "there is no session '\(request.id.prefix(64))'; see 'stratus web-token list'")
    }
    for id in ids { try await accounts.endSession(id: id) }
    accounts.memory.forget()
    accounts.audit.noteChange("ended the session \(request.id.prefix(Accounts.shownIDLength))")
    try await releaseEnded()
    return EmptyRequest()
  }
}

/// Answers ``RotateWebTokenKey``.
struct RotateWebTokenKeyHandler: ManagementHandler {
  typealias Endpoint = RotateWebTokenKey

  let accounts: Accounts
  /// Replaces the key that signs asset URLs.
  let rotateTicketKey: @Sendable () throws(ServerError) -> Void

  func answer(_ request: EmptyRequest) async throws(ServerError) -> EmptyRequest {
    try await accounts.rotateTokenKey()
    try rotateTicketKey()
    accounts.audit.noteChange("made a new key for web auth tokens")
    return EmptyRequest()
  }
}

extension Accounts {
  /// The number of hex digits that a list shows of each session ID. They are enough to identify a
  /// session.
  static let shownIDLength = 16

  /// Removes ended sessions from the registry, so that lists show only valid ones. Also removes old
  /// mails, expired codes, ended sign-in steps and old removals.
  ///
  /// - Throws: an error of the registry.
  public func forgetEndedSessions() async throws(ServerError) {
    let now = ambient.now()
    try await registry.deleteSessions(
      unusedSince: now - Self.idleMilliseconds, endedBefore: now)
    try await forgetEndedBrowserSessions()
    try await forgetOldMails()
    try await registry.deleteSignInSteps(endedBefore: now)
    try await registry.deleteRemovals(endedBefore: now - auditDays * 86_400_000)
  }

  /// The number of stored sessions, for tests.
  package var sessionCount: Int {
    get async throws(ServerError) { try await registry.sessions().count }
  }
}
