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
    var users: [ListRoles.Item] = []
    for (user, roles) in assignments.ofUsers where only == nil || only == user {
      let known = try await accounts.registry.user(named: user, in: request.containerID)
      var email: String?
      if let known { email = try await accounts.registry.account(id: known.accountID)?.email }
      users.append(ListRoles.Item(email: email, userRecordName: user, roles: roles.sorted()))
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
    let (user, address) = try await accounts.user(in: request)
    if try await roles.grant(request.role, to: user, at: address) {
      accounts.note("granted the role '\(request.role)' to", request)
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
    let (user, address) = try await accounts.user(in: request)
    guard try await roles.revoke(request.role, from: user, at: address) else {
      throw ServerError(
        .notFound,
        "the account '\(request.email.prefix(64))' does not have the role "
          + "'\(request.role.prefix(64))'; see 'stratus role list'")
    }
    try accounts.journal(
      .role, of: try await accounts.account(email: request.email).id, detail: request.role,
      at: address)
    accounts.note("revoked the role '\(request.role)' of", request)
    return EmptyRequest()
  }
}

extension Accounts {
  fileprivate func note(_ action: String, _ request: GrantRole.Request) {
    let store = StoreAddress(container: request.containerID, environment: request.environment)
    audit.noteOperator(
      "\(action) the account '\(request.email.lowercased())' in \(store.inLog)")
  }

  /// Returns the user and the store in a request about a role.
  ///
  /// - Throws: `NOT_FOUND`.
  fileprivate func user(
    in request: GrantRole.Request
  ) async throws(ServerError) -> (name: String, store: StoreAddress) {
    try await requireContainer(request.containerID)
    let account = try await account(email: request.email)
    return (
      try await user(account.id, in: request.containerID),
      StoreAddress(container: request.containerID, environment: request.environment)
    )
  }
}
