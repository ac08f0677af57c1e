import Foundation
public import StratusDomain
import StratusWire

/// Signs members of the team in, and decides what they may do (docs/internals/console.md).
public final class Console: WebConsole {
  /// The number of milliseconds for which a password counts as just given.
  static let confirmedMilliseconds: Int64 = 600_000

  let accounts: Accounts
  let throttle = SignInThrottle()
  /// The code for the first owner, or nil if the team had an owner when the server started.
  let setupCode: SetupCode?
  let version: String

  init(accounts: Accounts, setupCode: SetupCode?, version: String) {
    self.accounts = accounts
    self.setupCode = setupCode
    self.version = version
  }

  public func decide(_ request: ConsoleRequest) async throws(ServerError) -> ConsoleDecision {
    switch request.path {
    case FetchConsoleSession.path: return try await fetchSession(request)
    case SetUpConsole.path: return try await setUp(request)
    case SignInToConsole.path: return try await signIn(request)
    default: break
    }
    guard let cookie = request.cookie,
      let visitor = try await accounts.consoleVisitor(
        cookie: cookie, isTouching: request.path != "live" && !request.isAutomatic)
    else { throw ServerError(.authenticationRequired, Reason.authenticationRequired) }
    switch request.path {
    case ConfirmConsoleSession.path: return try await confirm(request, visitor, cookie)
    case SignOutOfConsole.path:
      try await accounts.endConsoleSession(cookie: cookie)
      return .answer(EmptyRequest().jsonBytes, .removed)
    default: break
    }
    if request.path == "live" {
      try require(.requests, of: visitor)
      return .listen(member: visitor.account.id, view(of: visitor))
    }
    if request.path.hasPrefix("team/") { return try manageTeam(request, visitor) }
    if request.path.hasPrefix("management/") { return try await manage(request, visitor) }
    if request.path.hasPrefix("as/") { return try await openAsTestAccount(request, visitor) }
    if request.path.hasPrefix("database/") { return try await open(request, visitor) }
    throw ServerError(.notFound, Reason.endpointUnknown)
  }

  private func manageTeam(
    _ request: ConsoleRequest, _ visitor: ConsoleVisitor
  ) throws(ServerError) -> ConsoleDecision {
    try require(.team, of: visitor)
    try requirePassword(for: request.path, of: visitor)
    note(request.path, ConsoleSubject(), visitor)
    return .manage(
      endpoint: request.path, ConsoleView(showsAccounts: true, member: visitor.account.email))
  }

  private func manage(
    _ request: ConsoleRequest, _ visitor: ConsoleVisitor
  ) async throws(ServerError) -> ConsoleDecision {
    let endpoint = String(request.path.dropFirst("management/".count))
    let subject = try Self.read(ConsoleSubject.self, request)
    guard let permission = ConsolePermission.forManagement(endpoint, subject) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    try require(permission, of: visitor)
    try await requireContainer(of: endpoint, subject, visitor)
    let view = view(of: visitor)
    if endpoint == ListRoles.path, subject.email != nil, !view.showsAccounts {
      // The answer would tell a member without the permission `users` whether an account has this
      // address.
      throw ServerError(.accessDenied, Reason.accessDenied)
    }
    try requirePassword(for: endpoint, of: visitor)
    note(endpoint, subject, visitor)
    return .manage(endpoint: endpoint, view)
  }

  private func view(of visitor: ConsoleVisitor) -> ConsoleView {
    ConsoleView(
      containers: visitor.member.containers,
      showsAccounts: visitor.member.role.permissions.contains(.users),
      member: visitor.account.email)
  }

  /// Checks that a request of a limited member concerns only containers that the member can see.
  ///
  /// NB: a container in the body proves nothing for an endpoint that ignores it, such as one that
  /// revokes a token by its ID.
  private func requireContainer(
    of endpoint: String, _ subject: ConsoleSubject, _ visitor: ConsoleVisitor
  ) async throws(ServerError) {
    guard visitor.member.containers != nil else { return }
    if ConsolePermission.listsContainers.contains(endpoint) { return }
    var container: String?
    if ConsolePermission.inOneContainer.contains(endpoint) {
      container = subject.containerID
    } else if endpoint == RevokeAPIToken.path {
      container = try await accounts.registry.apiTokens().first { $0.id == subject.id }?.store
        .container
    } else if endpoint == RevokeServerKey.path {
      container = try await accounts.registry.serverKeys().first { $0.id == subject.id }?.store
        .container
    }
    guard let container else { throw ServerError(.accessDenied, Reason.accessDenied) }
    guard visitor.sees(container: container) else {
      throw ServerError(.notFound, Reason.containerNotFound)
    }
  }

  private func open(
    _ request: ConsoleRequest, _ visitor: ConsoleVisitor
  ) async throws(ServerError) -> ConsoleDecision {
    try await open(request.path, as: visitor.account, visitor)
  }

  /// Opens a database in the name of a test account: `as/EMAIL/database/…`.
  private func openAsTestAccount(
    _ request: ConsoleRequest, _ visitor: ConsoleVisitor
  ) async throws(ServerError) -> ConsoleDecision {
    let parts = request.path.split(separator: "/", maxSplits: 2).map(String.init)
    // NB: the answer for an existing account that is no test account is the same as for an unknown
    // account. Otherwise the answer would disclose which accounts exist.
    guard parts.count == 3, visitor.member.role.permissions.contains(.records),
      let email = parts[1].removingPercentEncoding?.lowercased(),
      let account = try await accounts.registry.account(email: email),
      !account.isDisabled,
      try await accounts.registry.testAccounts().contains(account.id)
    else { throw ServerError(.notFound, Reason.endpointUnknown) }
    let decision = try await open(parts[2], as: account, visitor)
    if case .open(let address, let endpoint, _) = decision, ConsoleNews.changes(endpoint) {
      accounts.audit.note(
        "the member '\(visitor.account.email)' requested '\(endpoint)' in \(address.store.inLog) "
          + "as the test account '\(account.email)'")
    }
    return decision
  }

  private func open(
    _ path: String, as account: Account, _ visitor: ConsoleVisitor
  ) async throws(ServerError) -> ConsoleDecision {
    try require(.records, of: visitor)
    let parts = path.split(separator: "/", maxSplits: 4).map(String.init)
    guard parts.count == 5, parts[0] == "database",
      let environment = ContainerEnvironment(rawValue: parts[2]),
      let scope = DatabaseScope(rawValue: parts[3]),
      ConsolePermission.databaseEndpoints.contains(parts[4])
    else { throw ServerError(.notFound, Reason.endpointUnknown) }
    let container = parts[1]
    guard visitor.sees(container: container),
      try await accounts.registry.containers().contains(container)
    else { throw ServerError(.notFound, Reason.containerNotFound) }
    // NB: elsewhere, the check of the caller's token refuses a restricted account. The console does
    // not use such a token.
    if account.isRestricted { throw ServerError(.accessDenied, Reason.accountRestricted) }
    let user = try await accounts.user(account.id, in: container)
    return .open(
      DatabaseAddress(
        store: StoreAddress(container: container, environment: environment), scope: scope),
      endpoint: parts[4],
      .userSession(
        UserSession(userRecordName: user, sessionID: "", accountID: account.id)))
  }

  /// Writes into the log which member requests a change. The handler may still refuse it.
  private func note(_ endpoint: String, _ subject: ConsoleSubject, _ visitor: ConsoleVisitor) {
    if subject.isDryRun || ConsolePermission.reads.contains(endpoint) || endpoint == "team/list" {
      return
    }
    let container = subject.containerID.map { " in '\($0.prefix(64))'" } ?? ""
    accounts.audit.note(
      "the member '\(visitor.account.email)' requested '\(endpoint)'\(container) in the console")
  }

  private func require(
    _ permission: ConsolePermission, of visitor: ConsoleVisitor
  ) throws(ServerError) {
    guard visitor.member.role.permissions.contains(permission) else {
      throw ServerError(.accessDenied, Reason.accessDenied)
    }
  }

  private func requirePassword(
    for path: String, of visitor: ConsoleVisitor
  ) throws(ServerError) {
    guard ConsolePermission.needsPassword.contains(path) else { return }
    let age = accounts.ambient.now() - visitor.session.createdAt
    guard age < Self.confirmedMilliseconds else {
      throw ServerError(.accessDenied, Reason.passwordNeeded)
    }
  }

  /// Reads the body of a request. An empty body counts as an empty dictionary.
  static func read<Value: JSONReadable>(
    _ type: Value.Type, _ request: ConsoleRequest
  ) throws(ServerError) -> Value {
    do throws(WireError) {
      let body = request.body.isEmpty ? Array("{}".utf8) : request.body
      let json = try JSONView(parsing: body)
      guard json.isObject else { throw WireError("the request body must be a JSON object") }
      return try Value(json: json)
    } catch {
      throw ServerError(error)
    }
  }
}

extension Accounts {
  /// Creates the console.
  ///
  /// - Returns: the console, and the text of the setup code, which the server prints. The text is
  ///   nil if the team has an owner.
  public func console(
    version: String
  ) async throws(ServerError) -> (console: Console, setupCode: String?) {
    let hasOwner = try await registry.teamMembers().contains { $0.role == .owner }
    let made = hasOwner ? nil : SetupCode.make(randomness)
    return (Console(accounts: self, setupCode: made?.code, version: version), made?.text)
  }
}
