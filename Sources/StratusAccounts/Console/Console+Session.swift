import StratusDomain
import StratusWire

/// The requests about the session of a browser.
extension Console {
  func fetchSession(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision {
    var visitor: ConsoleVisitor?
    if let cookie = request.cookie { visitor = try await accounts.consoleVisitor(cookie: cookie) }
    let session = try await session(of: visitor.map { ($0.account, $0.member) }, request)
    return .answer(session.jsonBytes, .unchanged)
  }

  func signIn(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision {
    let form = try Self.read(SignInToConsole.Request.self, request)
    let known = try await accounts.registry.account(email: form.email.lowercased())
    let attempt = try begin(form.email, known, request)
    let found = try await counting(attempt) { () async throws(ServerError) in
      try await self.accounts.teamMember(email: form.email, password: form.password)
    }
    guard let found else { throw refusal("a sign-in to the console failed", known, request) }
    throttle.succeed(attempt)
    try await requireFactor(form.factor, of: found.proven.account, request)
    return try await enter(found.proven, found.member, request)
  }

  /// Makes the first owner. The account is created if no account has the address. Otherwise the
  /// password must be that of the existing account.
  func setUp(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision {
    let form = try Self.read(SetUpConsole.Request.self, request)
    let attempt = try begin(form.email, nil, request)
    guard let setupCode, setupCode.accepts(form.code) else {
      throw refusal("a set-up of the console failed", nil, request)
    }
    if try await accounts.registry.account(email: form.email.lowercased()) == nil {
      try PasswordRules.require(form.password, email: form.email)
      try await accounts.create(email: form.email)
      let account = try await accounts.account(email: form.email)
      try await accounts.setPassword(form.password, of: account)
    }
    let proven = try await counting(attempt) { () async throws(ServerError) in
      try await self.accounts.account(
        email: form.email, password: form.password, isKnown: false)
    }
    guard let proven else { throw Self.refused }
    try await requireFactor(nil, of: proven.account, request)
    let (id, now) = (proven.account.id, accounts.ambient.now())
    guard try await accounts.registry.addFirstOwner(accountID: id, at: now),
      let member = try await accounts.registry.teamMember(accountID: id)
    else { throw Self.refused }
    setupCode.end()
    throttle.succeed(attempt)
    accounts.audit.note("the account '\(proven.account.email)' became the first owner of the team")
    return try await enter(proven, member, request)
  }

  /// Checks the second factor, if the account has one. Wrong codes and wrong passwords are counted
  /// separately, so that a right password does not clear the count of wrong codes.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` if the code is missing or wrong; `THROTTLED` after many
  ///   wrong codes.
  private func requireFactor(
    _ typed: String?, of account: Account, _ request: ConsoleRequest
  ) async throws(ServerError) {
    guard try await accounts.registry.factor(ofAccount: account.id) != nil else { return }
    let failed = ServerError(.authenticationFailed, Reason.secondFactorRefused)
    guard let typed, !typed.isEmpty else { throw failed }
    let attempt = try begin("factor " + account.email, account, request)
    let check = try await counting(attempt) { () async throws(ServerError) in
      try await self.accounts.useFactor(typed, of: account)
    }
    if case .refused = check {
      note("the second factor of the console was wrong", account, request)
      throw failed
    }
    throttle.succeed(attempt)
  }

  /// Checks the password again. A new session replaces the present one. The new session's start
  /// is the time at which the password was given.
  func confirm(
    _ request: ConsoleRequest, _ visitor: ConsoleVisitor, _ cookie: String
  ) async throws(ServerError) -> ConsoleDecision {
    let form = try Self.read(ConfirmConsoleSession.Request.self, request)
    let email = visitor.account.email
    let attempt = try begin(email, visitor.account, request)
    let proven = try await counting(attempt) { () async throws(ServerError) in
      try await self.accounts.account(email: email, password: form.password, isKnown: true)
    }
    guard let proven,
      let text = try await accounts.openConsoleSession(of: proven, browser: request.userAgent)
    else {
      throw refusal("a confirmation in the console failed", visitor.account, request)
    }
    throttle.succeed(attempt)
    try await accounts.endConsoleSession(cookie: cookie)
    return .answer(EmptyRequest().jsonBytes, .set(text))
  }

  private func enter(
    _ proven: Accounts.ProvenAccount, _ member: TeamMember, _ request: ConsoleRequest
  ) async throws(ServerError) -> ConsoleDecision {
    if let cookie = request.cookie { try await accounts.endConsoleSession(cookie: cookie) }
    let text = try await accounts.openConsoleSession(of: proven, browser: request.userAgent)
    guard let text else { throw Self.refused }
    accounts.audit.note(
      "the account '\(proven.account.email)' signed in to the console, from \(Self.place(request))")
    return .answer(try await session(of: (proven.account, member), request).jsonBytes, .set(text))
  }

  /// Runs a check of a password or of a second factor. If the check throws, for example because the
  /// server is too busy, the attempt is not counted.
  private func counting<Value>(
    _ attempt: SignInThrottle.Attempt,
    _ check: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    do throws(ServerError) { return try await check() } catch {
      throttle.withdraw(attempt)
      throw error
    }
  }

  private func session(
    of visitor: (account: Account, member: TeamMember)?, _ request: ConsoleRequest
  ) async throws(ServerError) -> ConsoleSession {
    let isSetUp = try await accounts.registry.teamMembers().contains { $0.role == .owner }
    var session = ConsoleSession(isSetUp: isSetUp, version: version, serverURL: request.serverURL)
    guard let (account, member) = visitor else { return session }
    session.member = ConsoleSession.Member(email: account.email, role: member.role)
    // NB: the audit log refuses members that are limited to some containers.
    session.permissions = member.role.permissions
      .filter { $0 != .audit || member.containers == nil }.map(\.rawValue).sorted()
    session.containerIDs = try await accounts.registry.containers().filter {
      member.containers?.contains($0) ?? true
    }
    if member.role.permissions.contains(.records) {
      let tests = try await accounts.registry.testAccounts()
      if !tests.isEmpty {
        session.testAccounts = try await accounts.registry.accounts()
          .filter { tests.contains($0.id) && !$0.isDisabled }.map(\.email)
      }
    }
    return session
  }

  /// Begins an attempt to sign in.
  ///
  /// - Throws: `THROTTLED` after many failures.
  private func begin(
    _ email: String, _ account: Account?, _ request: ConsoleRequest
  ) throws(ServerError) -> SignInThrottle.Attempt {
    let attempt = SignInThrottle.Attempt(
      email: String(email.prefix(320)).lowercased(), browser: nil,
      address: request.clientAddress.map(NetworkAddress.subscriber),
      site: request.clientAddress.flatMap { NetworkAddress($0)?.site })
    if let seconds = throttle.begin(attempt, now: accounts.ambient.now()) {
      note("a sign-in to the console has to wait", account, request)
      throw ServerError(.throttled, Reason.signInThrottled, retryAfterSeconds: seconds)
    }
    return attempt
  }

  private static let refused = ServerError(.authenticationFailed, Reason.signInRefused)

  /// Writes a refusal into the log, and returns the error of the answer.
  private func refusal(
    _ event: String, _ account: Account?, _ request: ConsoleRequest
  ) -> ServerError {
    note(event, account, request)
    return Self.refused
  }

  /// Writes a refusal into the log, with the address of the account. A typed address that belongs
  /// to no account is not written.
  private func note(_ event: String, _ account: Account?, _ request: ConsoleRequest) {
    let name = account.map { "for the account '\($0.email)'" } ?? "for an unknown address"
    accounts.audit.noteRefusal(
      "\(event), \(name), from \(Self.place(request))", at: accounts.ambient.now())
  }

  private static func place(_ request: ConsoleRequest) -> String {
    request.clientAddress.map(NetworkAddress.subscriber) ?? "an unknown address"
  }
}
