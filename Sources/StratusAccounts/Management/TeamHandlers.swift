import StratusDomain
import StratusWire

/// Answers ``AddMember``.
struct AddMemberHandler: ManagementHandler {
  typealias Endpoint = AddMember

  let accounts: Accounts

  func answer(_ request: AddMember.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    return try await accounts.keepMember(account, request)
  }
}

/// Answers ``ConfigureMember``.
struct ConfigureMemberHandler: ManagementHandler {
  typealias Endpoint = ConfigureMember

  let accounts: Accounts

  func answer(_ request: AddMember.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    guard try await accounts.registry.teamMember(accountID: account.id) != nil else {
      throw Accounts.notInTeam(request.email)
    }
    return try await accounts.keepMember(account, request)
  }
}

/// Answers ``RemoveMember``.
struct RemoveMemberHandler: ManagementHandler {
  typealias Endpoint = RemoveMember

  let accounts: Accounts

  func answer(_ request: RemoveMember.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    switch try await accounts.registry.removeMember(accountID: account.id) {
    case .made:
      try accounts.journal(.member, of: account.id)
      return EmptyRequest()
    case .absent: throw Accounts.notInTeam(request.email)
    case .lastOwner: throw Accounts.lastOwner
    }
  }
}

/// Answers ``ListMembers``.
struct ListMembersHandler: ManagementHandler {
  typealias Endpoint = ListMembers

  let accounts: Accounts

  func answer(_ request: ListMembers.Request) async throws(ServerError) -> ListMembers.Response {
    var items: [ListMembers.Item] = []
    for member in try await accounts.registry.teamMembers() {
      guard let account = try await accounts.registry.account(id: member.accountID) else {
        continue
      }
      items.append(
        ListMembers.Item(
          email: account.email, role: member.role, containerIDs: member.containers,
          addedAt: member.addedAt, lastUsedAt: member.lastUsedAt))
    }
    return ListMembers.Response(members: items)
  }
}

extension Accounts {
  static let lastOwner = ServerError(
    .badRequest, "the team must keep an owner; make another member an owner first")

  fileprivate static func notInTeam(_ email: String) -> ServerError {
    ServerError(
      .notFound, "'\(email.prefix(64))' is not in the team; see 'stratus team list'")
  }

  fileprivate func keepMember(
    _ account: Account, _ request: AddMember.Request
  ) async throws(ServerError) -> EmptyRequest {
    for container in request.containerIDs ?? [] { try await requireContainer(container) }
    if request.role == .owner || request.role == .operator, request.containerIDs != nil {
      throw .badRequest("only developers and auditors can be limited to containers")
    }
    let member = TeamMember(
      accountID: account.id, role: request.role, containers: request.containerIDs?.sorted(),
      addedAt: ambient.now())
    guard try await registry.keep(member) == .made else { throw Self.lastOwner }
    return EmptyRequest()
  }
}
