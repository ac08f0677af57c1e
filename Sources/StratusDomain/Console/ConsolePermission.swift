public import StratusWire

/// A right of a member of the team in the console. Each path of the console needs exactly one
/// right, except the paths about the member's own session.
public enum ConsolePermission: String, Sendable, Hashable, CaseIterable {
  /// The right to see the production radar, the state of the server, and the list of containers.
  case status
  /// The right to open databases. The member then acts as the user of the member's own account, or
  /// as a test account.
  case records
  /// The right to see the schema.
  case schemaRead = "schema-read"
  /// The right to change the development schema.
  case schema
  /// The right to change the production schema.
  case deploy
  /// The right to manage API tokens and server keys.
  case access
  /// The right to manage accounts, their sessions, and quotas.
  case users
  /// The right to give custom roles to users, and to take them away.
  case grants
  /// The right to see the request log, the telemetry and the state of users' devices.
  case requests
  /// The right to see the audit log, which contains the e-mail addresses of accounts.
  case audit
  /// The right to manage containers and indexes.
  case operation
  /// The right to manage the team.
  case team
}

extension TeamRole {
  /// The rights of the role (`docs/internals/console.md` has the table).
  public var permissions: Set<ConsolePermission> {
    switch self {
    case .owner: Set(ConsolePermission.allCases)
    case .developer: [.status, .records, .schemaRead, .schema, .access, .requests]
    case .operator: [.status, .schemaRead, .users, .operation, .requests, .audit]
    case .auditor: [.status, .schemaRead, .requests, .audit]
    }
  }
}

extension ConsolePermission {
  /// Returns the right that an endpoint of the management interface needs, or nil if the console
  /// does not offer the endpoint.
  ///
  /// - Parameter path: the path of the endpoint, for example `schema/change`.
  public static func forManagement(
    _ path: String, _ subject: ConsoleSubject
  ) -> ConsolePermission? {
    switch path {
    case "status", "containers/list":
      return .status
    case "containers/create", "containers/configure", "containers/delete", "schema/indexes/drop":
      return .operation
    case "schema/export", "schema/describe", "schema/indexes", "schema/retiring", "roles/list":
      return .schemaRead
    // NB: the answer depends on a record and its creator, which operators and auditors do not see.
    case "permissions/explain":
      return .records
    case "schema/change":
      // NB: a request without an environment is refused by its handler. Until then it counts as a
      // change of production.
      if subject.isDryRun { return .schemaRead }
      return subject.environment == .development ? .schema : .deploy
    case "schema/retire":
      return subject.environment == .development ? .schema : .deploy
    case "schema/reset":
      return .schema
    case "api-tokens/create", "api-tokens/list", "api-tokens/revoke", "server-keys/add",
      "server-keys/list", "server-keys/revoke":
      return .access
    case "accounts/create", "accounts/list", "accounts/enable", "accounts/disable",
      "accounts/restrict", "accounts/unrestrict", "web-tokens/list", "web-tokens/revoke":
      return .users
    // NB: the answer of `quotas/show` contains the e-mail addresses of accounts.
    case "quotas/show", "quotas/set":
      return .users
    // NB: a member who is limited to some containers cannot see the audit log, because entries
    // about accounts belong to no container.
    case "audit/list":
      return .audit
    case "roles/grant", "roles/revoke":
      return .grants
    // NB: `devices/list` also needs the user's code of consent.
    case "requests/list", "devices/list", "telemetry/fetch":
      return .requests
    // Only commands can call the other endpoints. For example, `accounts/configure` sets another
    // account's password, and `web-tokens/create` makes a token with which its holder reads a
    // user's private data.
    default:
      return nil
    }
  }

  /// The endpoints of databases that the console offers. All need ``records``.
  public static let databaseEndpoints: Set<String> = [
    "assets/upload", "changes/database", "changes/zone", "records/changes", "records/lookup",
    "records/modify", "records/query", "subscriptions/list", "subscriptions/modify",
    "users/caller", "zones/list", "zones/modify",
  ]

  /// The endpoints of the management interface whose whole effect is inside the container that the
  /// request names. If the member is limited to some containers, the container must be one of
  /// these.
  public static let inOneContainer: Set<String> = [
    "api-tokens/create", "containers/configure", "containers/delete", "devices/list",
    "permissions/explain", "quotas/set", "quotas/show", "roles/grant", "roles/list",
    "roles/revoke", "schema/change", "schema/describe", "schema/export", "schema/indexes",
    "schema/indexes/drop", "schema/reset", "schema/retire", "schema/retiring", "server-keys/add",
  ]

  /// The management endpoints whose answers name the container of each item. If the member is
  /// limited to some containers, the console removes the items of other containers.
  public static let listsContainers: Set<String> = [
    "api-tokens/list", "containers/list", "requests/list", "server-keys/list", "status",
    "telemetry/fetch",
  ]

  /// The endpoints of the management interface that change nothing.
  public static let reads: Set<String> = [
    "accounts/list", "api-tokens/list", "audit/list", "containers/list", "permissions/explain",
    "quotas/show", "requests/list", "roles/list", "schema/describe", "schema/export",
    "schema/indexes", "schema/retiring", "server-keys/list", "status", "telemetry/fetch",
    "web-tokens/list",
  ]

  /// The requests for which the member must give the password again.
  public static let needsPassword: Set<String> = [
    "containers/delete", "schema/reset", "team/add", "team/configure", "team/remove",
  ]
}
