public import StratusDomain
import StratusWire

/// Runs another handler, and writes an entry of the audit log for each request that changes
/// something.
///
/// If a request discloses data of an account, the entry is written before the request runs, so
/// that nothing is disclosed without an entry. Otherwise the entry is written after the request
/// has succeeded. If an entry cannot be written, the caller gets an error.
///
/// The handlers of ``AuditRules/own`` write their entries themselves.
struct AuditedHandler<Handler: ManagementHandler>: ManagementHandler {
  typealias Endpoint = Handler.Endpoint

  let handler: Handler
  let accounts: Accounts

  func answer(_ request: Endpoint.Request) async throws(ServerError) -> Endpoint.Response {
    guard !AuditRules.reads.contains(Endpoint.path), !AuditRules.own.contains(Endpoint.path) else {
      return try await handler.answer(request)
    }
    let subject = try AuditSubject(request)
    guard !subject.isDryRun else { return try await handler.answer(request) }
    // NB: the account is looked up before the request runs, because the request may delete the
    // account or the session.
    let accountID = try await accounts.accountID(of: subject, path: Endpoint.path)
    if AuditRules.disclosures.contains(Endpoint.path) {
      try await accounts.record(Endpoint.path, subject, of: accountID)
      return try await handler.answer(request)
    }
    let response = try await handler.answer(request)
    var account = accountID
    // The request may have created the account.
    if account == nil { account = try await accounts.accountID(of: subject, path: Endpoint.path) }
    try await accounts.record(Endpoint.path, subject, of: account)
    return response
  }
}

/// The management endpoints, grouped by how the audit log treats them.
enum AuditRules {
  /// The endpoints that the audit log does not record, because they change nothing and give no
  /// access to an account or to the state of its devices.
  static let reads = ConsolePermission.reads.union([
    ListAuditEntries.path, ListMembers.path, ListNodes.path, ShowQuota.path, ShowVersions.path,
    ListReceipts.path,
  ])
  /// The endpoints whose handlers write their entries themselves. A request for a list of devices
  /// names no account; only its code of consent identifies the account. A deletion writes its entry
  /// in its own transaction. An export, an import and a restore of versions consist of many
  /// requests.
  static let own: Set<String> = [
    ListDevices.path, RestoreVersions.path, DeleteAccount.path, ExportAccount.path,
    ImportAccount.path,
  ]
  /// The endpoints whose answers give access to the data of an account.
  static let disclosures: Set<String> = [CreateWebToken.path]

  /// Returns the verb phrase with which the account page describes a management request.
  static func sentence(_ path: String) -> String {
    switch path {
    case CreateAccount.path: "created the account"
    case ConfigureAccount.path: "changed the password, the second factor or the profile"
    case InviteAccount.path: "invited you"
    case DisableAccount.path: "disabled the account"
    case EnableAccount.path: "enabled the account"
    case RestrictAccount.path: "restricted the account"
    case UnrestrictAccount.path: "ended the restriction of the account"
    case CreateWebToken.path: "made a token that opens your data"
    case DeleteAccount.path: "began the deletion of the account"
    case ExportAccount.path: "exported your data"
    case ImportAccount.path: "imported data into the account"
    case RevokeWebToken.path: "ended a session"
    case ListDevices.path: "saw the state of your devices with your code"
    case GrantRole.path: "granted a role"
    case RevokeRole.path: "revoked a role"
    case SetQuota.path: "set the quota"
    case RestoreVersions.path: "restored your records to an earlier time"
    case AddMember.path, ConfigureMember.path: "changed your role in the team"
    case RemoveMember.path: "removed you from the team"
    case let path: "made the request '\(path)'"
    }
  }
}

/// The names and IDs in a management request.
struct AuditSubject {
  var isDryRun = false
  var email: String?
  var id: String?
  var store: AuditStore?
  var subject = ""

  /// The maximum length of a name in an entry. Choice: enough for every valid name.
  private static let lengthMax = 255

  init(_ request: some JSONWritable) throws(ServerError) {
    do throws(WireError) {
      let json = try JSONView(parsing: request.jsonBytes)
      guard json.isObject else { return }
      let named = try ConsoleSubject(json: json)
      isDryRun = named.isDryRun
      email = named.email
      id = named.id
      store = named.containerID.map {
        AuditStore(
          container: String($0.prefix(Self.lengthMax)), environment: named.environment?.rawValue)
      }
      subject = String(
        [named.id, named.name].compactMap { $0 }.joined(separator: " ").prefix(Self.lengthMax))
    } catch {
      throw ServerError(error)
    }
  }
}

extension Accounts {
  /// Returns a handler that runs the given handler and writes the audit log.
  public func audited(_ handler: any ManagementHandler) -> any ManagementHandler {
    func wrap(_ handler: some ManagementHandler) -> any ManagementHandler {
      AuditedHandler(handler: handler, accounts: self)
    }
    return wrap(handler)
  }

  /// Returns the account that a management request concerns, or nil if it concerns none.
  fileprivate func accountID(
    of subject: AuditSubject, path: String
  ) async throws(ServerError) -> String? {
    if let email = subject.email {
      return try await registry.account(email: email.lowercased())?.id
    }
    guard path == RevokeWebToken.path, let id = subject.id, !id.isEmpty else { return nil }
    return try await registry.sessions().first { $0.id.hasPrefix(id) }?.accountID
  }

  fileprivate func record(
    _ path: String, _ subject: AuditSubject, of accountID: String?
  ) async throws(ServerError) {
    try await registry.append(
      AuditEntry(
        time: ambient.now(), actor: AuditActor.current, action: path, accountID: accountID,
        store: subject.store, subject: subject.subject))
  }

  /// Writes an entry before the state of an account's devices is shown.
  func recordShownDevices(of account: Account, at store: StoreAddress) async throws(ServerError) {
    try await registry.append(
      AuditEntry(
        time: ambient.now(), actor: AuditActor.current, action: ListDevices.path,
        accountID: account.id,
        store: AuditStore(
          container: store.container, environment: store.environment.rawValue)))
  }

  /// Writes an entry before the data of an account is exported or imported.
  func recordArchive(_ path: String, of account: Account) async throws(ServerError) {
    try await registry.append(
      AuditEntry(
        time: ambient.now(), actor: AuditActor.current, action: path, accountID: account.id))
  }

  /// Writes a change that a user made on the account page.
  ///
  /// - Parameter sentence: the change, for example `changed its password`.
  func recordByUser(_ sentence: String, _ account: Account) async throws(ServerError) {
    try await registry.append(
      AuditEntry(
        time: ambient.now(), actor: .user, action: "account-page", accountID: account.id,
        subject: sentence))
  }

  /// Removes the entries of the audit log whose retention time has passed.
  public func forgetAuditEntries() async throws(ServerError) {
    try await registry.deleteAuditEntries(before: ambient.now() - auditDays * 86_400_000)
  }
}

/// Answers ``ListAuditEntries``.
struct ListAuditEntriesHandler: ManagementHandler {
  typealias Endpoint = ListAuditEntries

  let accounts: Accounts

  func answer(
    _ request: ListAuditEntries.Request
  ) async throws(ServerError) -> ListAuditEntries.Response {
    var accountID: String?
    if let email = request.email { accountID = try await accounts.account(email: email).id }
    let entries = try await accounts.registry.auditEntries(
      ofAccount: accountID, before: request.before, limit: request.limit)
    var emails: [String: String] = [:]
    for id in Set(entries.compactMap(\.accountID)) {
      emails[id] = try await accounts.registry.account(id: id)?.email ?? id
    }
    return ListAuditEntries.Response(entries: entries.map { $0.item(emails: emails) })
  }
}

extension AuditEntry {
  fileprivate func item(emails: [String: String]) -> ListAuditEntries.Item {
    let (name, member): (String, String?) =
      switch actor {
      case .operator: ("operator", nil)
      case .member(let email): ("member", email)
      case .user: ("user", nil)
      }
    return ListAuditEntries.Item(
      number: number, time: time, actor: name, member: member, action: action,
      account: accountID.flatMap { emails[$0] }, containerID: store?.container,
      environment: store?.environment, subject: subject)
  }
}
