import StratusDomain
import StratusWire

/// Answers ``ShowQuota``.
struct ShowQuotaHandler: ManagementHandler {
  typealias Endpoint = ShowQuota

  let accounts: Accounts
  let quotas: StorageQuotas

  func answer(_ request: ShowQuota.Request) async throws(ServerError) -> ShowQuota.Response {
    try await accounts.requireContainer(request.containerID)
    var user: String?
    if let email = request.email {
      let account = try await accounts.account(email: email)
      user = try await accounts.user(account.id, in: request.containerID)
    }
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    let report = try await quotas.report(ofUser: user, at: address)
    var users: [ShowQuota.UserItem] = []
    for item in report.users {
      let known = try await accounts.registry.user(named: item.user, in: request.containerID)
      var email: String?
      if let known { email = try await accounts.registry.account(id: known.accountID)?.email }
      users.append(
        ShowQuota.UserItem(
          email: email, userRecordName: item.user, usedBytes: item.bytes,
          quotaBytes: item.quotaBytes))
    }
    return ShowQuota.Response(
      usedBytes: report.types.reduce(0) { $0 + $1.usage.bytes }, quotaBytes: report.quotaBytes,
      types: report.types.map {
        ShowQuota.TypeItem(
          recordType: $0.recordType, records: $0.usage.records,
          recordBytes: $0.usage.recordBytes, assetBytes: $0.usage.assetBytes)
      },
      userQuotaBytes: report.settings.userQuotaBytes, users: users)
  }
}

/// Answers ``SetQuota``.
struct SetQuotaHandler: ManagementHandler {
  typealias Endpoint = SetQuota

  let accounts: Accounts
  let quotas: StorageQuotas

  func answer(_ request: SetQuota.Request) async throws(ServerError) -> EmptyRequest {
    try await accounts.requireContainer(request.containerID)
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    let quota: StorageQuota? =
      switch request.limit {
      case .bytes(let count): .bytes(count)
      case .unlimited: .unlimited
      case .standard: nil
      }
    let name: String
    switch request.target {
    case .publicDatabase:
      try await quotas.set(try Self.required(quota), ofPublicDatabaseAt: address)
      name = "the public database"
    case .eachUser:
      try await quotas.set(try Self.required(quota), ofEachUserAt: address)
      name = "each user"
    case .account(let email):
      let account = try await accounts.account(email: email)
      try await quotas.set(
        quota, ofUser: try await accounts.user(account.id, in: request.containerID),
        at: address)
      name = "the account '\(account.email)'"
    }
    accounts.audit.noteChange("set the quota of \(name) in \(address.inLog)")
    return EmptyRequest()
  }

  /// - Throws: `BAD_REQUEST` if the quota is missing.
  private static func required(_ quota: StorageQuota?) throws(ServerError) -> StorageQuota {
    guard let quota else {
      throw .badRequest("only the quota of an account can be removed; set it to 'unlimited'")
    }
    return quota
  }
}
