import StratusDomain
import StratusWire

/// Answers ``ListRoles``.
struct ListRolesHandler: ManagementHandler {
  typealias Endpoint = ListRoles

  let accounts: Accounts
  let roles: UserRoles

  func answer(_ request: ListRoles.Request) async throws(ServerError) -> ListRoles.Response {
    try await accounts.requireContainer(request.containerID)
    var only: String?
    if let email = request.email {
      let account = try await accounts.account(email: email)
      only = try await accounts.user(account.id, in: request.containerID)
    }
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    let assignments = try await roles.assignments(at: address)
    var keys: [String: String] = [:]
    for key in try await accounts.registry.serverKeys() where key.store == address {
      keys[key.userRecordName] = key.id
    }
    var users: [ListRoles.Item] = []
    for (user, roles) in assignments.ofUsers where only == nil || only == user {
      let known = try await accounts.registry.user(named: user, in: request.containerID)
      var email: String?
      if let known { email = try await accounts.registry.account(id: known.accountID)?.email }
      users.append(
        ListRoles.Item(
          email: email, serverKeyID: keys[user], userRecordName: user, roles: roles.sorted()))
    }
    users.sort { ($0.email ?? "", $0.userRecordName) < ($1.email ?? "", $1.userRecordName) }
    return ListRoles.Response(roles: assignments.roles.sorted(), users: users)
  }
}

/// Answers ``GrantRole``.
struct GrantRoleHandler: ManagementHandler {
  typealias Endpoint = GrantRole

  let accounts: Accounts
  let roles: UserRoles

  func answer(_ request: GrantRole.Request) async throws(ServerError) -> EmptyRequest {
    let holder = try await accounts.roleHolder(in: request)
    if try await roles.grant(request.role, to: holder.user, at: holder.store) {
      accounts.note("granted the role '\(request.role)' to", holder)
    }
    return EmptyRequest()
  }
}

/// Answers ``RevokeRole``.
struct RevokeRoleHandler: ManagementHandler {
  typealias Endpoint = RevokeRole

  let accounts: Accounts
  let roles: UserRoles

  func answer(_ request: GrantRole.Request) async throws(ServerError) -> EmptyRequest {
    let holder = try await accounts.roleHolder(in: request)
    guard try await roles.revoke(request.role, from: holder.user, at: holder.store) else {
      throw ServerError(
        .notFound,
        "\(holder.title) does not have the role '\(request.role.prefix(64))'; see "
          + "'stratus role list'")
    }
    try accounts.journal(
      .role, of: holder.user.userRecordName, detail: request.role, at: holder.store)
    accounts.note("revoked the role '\(request.role)' of", holder)
    return EmptyRequest()
  }
}

/// The user whose roles a request changes.
private struct RoleHolder {
  let user: UserRoles.Holder
  let store: StoreAddress
  /// The account or the key, in the words of messages and log lines.
  let title: String
}

extension Accounts {
  fileprivate func note(_ action: String, _ holder: RoleHolder) {
    audit.noteChange("\(action) \(holder.title) in \(holder.store.inLog)")
  }

  /// Returns the user in a request about a role.
  ///
  /// - Throws: `NOT_FOUND` if the container, the key or the account does not exist; `BAD_REQUEST`
  ///   if a server-to-server key belongs to another container or environment.
  fileprivate func roleHolder(
    in request: GrantRole.Request
  ) async throws(ServerError) -> RoleHolder {
    try await requireContainer(request.containerID)
    let store = StoreAddress(container: request.containerID, environment: request.environment)
    if let id = request.id {
      guard let key = try await registry.serverKey(id: id) else {
        throw ServerError(
          .notFound,
          "there is no server-to-server key '\(id.prefix(64))'; see 'stratus server-key list'")
      }
      guard key.store == store else {
        throw .badRequest(
          "the server-to-server key '\(id.prefix(64))' belongs to another container or environment")
      }
      return RoleHolder(
        user: UserRoles.Holder(key.userRecordName, isServerKey: true), store: store,
        title: "the server-to-server key \(key.id)")
    }
    let account = try await account(email: request.email ?? "")
    return RoleHolder(
      user: UserRoles.Holder(try await user(account.id, in: request.containerID)), store: store,
      title: "the account '\(account.email)'")
  }
}
