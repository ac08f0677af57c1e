import StratusDomain
import StratusWire

/// Answers ``ShowVersions``.
struct ShowVersionsHandler: ManagementHandler {
  typealias Endpoint = ShowVersions

  let accounts: Accounts
  let restorer: VersionRestorer

  func answer(_ request: ShowVersions.Request) async throws(ServerError) -> ShowVersions.Response {
    try await accounts.requireContainer(request.containerID)
    let (days, extent) = try await restorer.extent(
      at: StoreAddress(container: request.containerID, environment: request.environment))
    return ShowVersions.Response(
      days: days, since: extent?.since, count: extent?.count ?? 0, bytes: extent?.bytes ?? 0,
      deletedZones: extent?.keptZones ?? 0)
  }
}

/// Answers ``RestoreVersions``.
///
/// The audit log gets one entry, before the first step of a restore. A dry run gets none.
struct RestoreVersionsHandler: ManagementHandler {
  typealias Endpoint = RestoreVersions

  let accounts: Accounts
  let restorer: VersionRestorer

  func answer(
    _ request: RestoreVersions.Request
  ) async throws(ServerError) -> RestoreVersions.Response {
    try await accounts.requireContainer(request.containerID)
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    var database: DatabaseKey?
    var account: Account?
    switch request.target {
    case .allDatabases: break
    case .publicDatabase: database = .public
    case .account(let email):
      let found = try await accounts.account(email: email)
      account = found
      database = .private(
        owner: try await accounts.user(found.id, in: request.containerID))
    }
    if request.zoneName != nil, database == nil {
      throw .badRequest("a zone needs the public database or an account")
    }
    if request.recordName != nil, request.zoneName == nil {
      throw .badRequest("a record needs a zone")
    }
    let scope = VersionRestorer.Scope(
      address: address, database: database, zoneName: request.zoneName,
      recordName: request.recordName, time: request.time)
    if !request.isDryRun, request.position == nil {
      try await accounts.recordRestore(request, of: account, at: address)
    }
    let step = try await restorer.step(
      scope, isDryRun: request.isDryRun, from: request.position)
    return RestoreVersions.Response(
      examined: step.examined, restored: step.restored, deleted: step.deleted,
      refusals: step.refused.map {
        RestoreVersions.Refusal(
          code: $0.key.code.rawValue, reason: $0.key.reason, records: $0.value)
      }.sorted { ($0.code, $0.reason ?? "") < ($1.code, $1.reason ?? "") },
      position: step.next)
  }
}

extension Accounts {
  fileprivate func recordRestore(
    _ request: RestoreVersions.Request, of account: Account?, at store: StoreAddress
  ) async throws(ServerError) {
    try await registry.append(
      AuditEntry(
        time: ambient.now(), actor: AuditActor.current, action: RestoreVersions.path,
        accountID: account?.id,
        store: AuditStore(
          container: store.container, environment: store.environment.rawValue),
        subject: "to the time \(request.time)"))
    audit.noteChange("restored earlier versions of records in \(store.inLog)")
  }
}
