import StratusWire

/// The expected results of the authorization matrix. A result is "ok", "found", "not found", the
/// code of an item's error, or the status and the code of a request's error.
enum AccessRules {
  static func result(of cell: AccessCell) -> String {
    refusalOfCaller(cell) ?? refusalOfDatabase(cell) ?? resultOfUser(cell)
  }

  // The caller

  private static let (failed, required, denied, bad, noZone) = (
    "401 AUTHENTICATION_FAILED", "421 AUTHENTICATION_REQUIRED", "403 ACCESS_DENIED",
    "400 BAD_REQUEST", "404 ZONE_NOT_FOUND"
  )

  /// The refusals that depend only on the caller, the endpoint and the kind of database.
  private static func refusalOfCaller(_ cell: AccessCell) -> String? {
    let endpoint = cell.attempt.endpoint
    switch cell.caller {
    case .anonymous, .management, .disabled: return failed
    case .expired, .revoked: return required
    case .wrongOrigin, .restricted, .consoleOperator: return denied
    case .consoleDeveloper: return offeredByConsole.contains(endpoint) ? nil : "404 NOT_FOUND"
    case .apiToken:
      // A share can be resolved without a user, but only in the public database. The other requests
      // about shares need a user.
      if endpoint == "records/resolve", cell.database != .public { return bad }
      return cell.database == .public && anonymousReads.contains(endpoint) ? nil : required
    case .serverKey:
      if endpoint.hasPrefix("users/") { return failed }
      if endpointsOfShares.contains(endpoint) { return cell.database == .public ? failed : bad }
      return cell.database == .public || cell.database == .device ? nil : failed
    case .owner, .otherUser, .roleHolder, .creator: return nil
    }
  }

  /// The requests to the public database that need no signed-in user.
  private static let anonymousReads: Set = ["records/query", "records/lookup", "zones/list"]
  /// The requests about other users, which are possible only in the public database.
  private static let endpointsOfDiscovery: Set = [
    "users/discover", "users/lookup/id", "users/lookup/email", "users/lookup/contacts",
  ]
  private static let endpointsOfShares: Set = [
    "records/resolve", "records/accept", "records/access",
  ]
  /// The list in the section *Databases* of docs/internals/console.md.
  private static let offeredByConsole: Set = [
    "records/query", "records/lookup", "records/modify", "records/changes", "changes/zone",
    "changes/database", "zones/list", "zones/modify", "subscriptions/list",
    "subscriptions/modify", "assets/upload", "users/caller",
  ]

  // The operator's endpoints

  /// Returns the expected result of a request to an operator's endpoint. The request names an
  /// account and a container. ``consoleRights`` is the table in docs/internals/console.md.
  static func management(
    _ path: String, _ caller: AccessCaller, in environment: String
  ) -> String {
    if caller == .management { return "allowed" }
    guard caller.isInConsole else { return failed }
    guard var roles = consoleRights.first(where: { $0.path == path })?.roles, !roles.isEmpty else {
      return "404 NOT_FOUND"
    }
    if environment == "development", ["schema/change", "schema/retire"].contains(path) {
      roles.insert(.developer)
    }
    // Only members with the permission *users* learn whether an address has an account.
    if path == "roles/list" { roles = [.owner, .operator] }
    return roles.contains(caller == .consoleOperator ? .operator : .developer) ? "allowed" : denied
  }

  // The database

  /// The refusals that depend only on the kind of database and the kind of request.
  private static func refusalOfDatabase(_ cell: AccessCell) -> String? {
    let endpoint = cell.attempt.endpoint
    if endpointsOfDiscovery.contains(endpoint), cell.database != .public { return bad }
    switch cell.database {
    case .public:
      let needsZones: Set = [
        "records/changes", "zones/changes", "changes/database", "changes/zone", "zones/modify",
      ]
      return needsZones.contains(endpoint) || endpoint.hasPrefix("encryption/") ? bad : nil
    case .private: return endpointsOfShares.contains(endpoint) ? bad : nil
    case .shared:
      // A participant leaves a zone by deleting it, and can create no zone.
      if endpoint == "zones/modify" { return cell.attempt.operation == "create" ? bad : nil }
      let needsOwner: Set = ["encryption/register", "encryption/reset"]
      return needsOwner.contains(endpoint) || endpointsOfShares.contains(endpoint) ? bad : nil
    case .device: return nil
    }
  }

  // The things

  private static func resultOfUser(_ cell: AccessCell) -> String {
    if cell.attempt.isAboutRecords { return resultForRecord(cell) }
    let isOwn = cell.subject == .own
    switch cell.attempt.endpoint {
    case "zones/lookup", "changes/zone", "zones/modify":
      // A client cannot create or delete another user's zones, and the answer does not reveal
      // whether such a zone exists.
      let makes = cell.attempt.operation == "create" && cell.subject == .absent
      return makes || isOwn && cell.database != .shared ? "ok" : "ZONE_NOT_FOUND"
    case "records/changes", "encryption/wrap":
      return isOwn && cell.database != .shared ? "ok" : noZone
    case "subscriptions/lookup", "records/resolve", "records/accept":
      return isOwn ? "ok" : "NOT_FOUND"
    case "records/access": return isOwn ? "ok" : "NOT_FOUND"
    case "subscriptions/modify" where cell.attempt.operation == "delete":
      return isOwn ? "ok" : "NOT_FOUND"
    case "users/discover", "users/lookup/id", "users/lookup/email":
      let named = isOwn ? cell.caller : cell.caller.victim
      return cell.subject != .absent && named.isFound ? "found" : "not found"
    // Any user may register any notification token. For the subject `absent`, the token is a
    // malformed text.
    case "tokens/register": return cell.subject == .absent ? bad : "ok"
    default: return "ok"
    }
  }

  private static func resultForRecord(_ cell: AccessCell) -> String {
    if cell.database == .public {
      return AccessRights(of: cell).result(of: cell.attempt, exists: cell.subject != .absent)
    }
    // The answer about another user's zone is the same as about a zone that does not exist.
    if cell.database == .shared || cell.subject == .others { return noZone }
    return AccessRights.all.result(of: cell.attempt, exists: cell.subject == .own)
  }
}

/// The rights of a caller to a record of the public database: the permissions of all roles of the
/// caller add up, and WRITE includes READ.
struct AccessRights {
  var (reads, writes, creates) = (true, true, true)
  /// Whether the caller may read the records that the caller created.
  var readsOwn = true

  /// The rights of the owner of a private database.
  static let all = AccessRights()

  private init() {}

  init(of cell: AccessCell) {
    func permissions(isCreator: Bool) -> Set<String> {
      let grants = cell.type.grants
      var found = grants["_world"] ?? []
      guard cell.caller.isUser else { return found }
      found.formUnion(grants["_icloud"] ?? [])
      if isCreator { found.formUnion(grants["_creator"] ?? []) }
      if cell.caller == .roleHolder { found.formUnion(grants["Editor"] ?? []) }
      return found
    }
    let held = permissions(isCreator: cell.subject == .own)
    writes = held.contains("WRITE")
    reads = writes || held.contains("READ")
    let heldAsCreator = permissions(isCreator: true)
    creates = heldAsCreator.contains("CREATE")
    readsOwn = !heldAsCreator.isDisjoint(with: ["READ", "WRITE"])
  }

  func result(of attempt: AccessAttempt, exists: Bool) -> String {
    let denied = "ACCESS_DENIED"
    // The answer about a record that the caller may not read is the same as about a missing record.
    let isSeen = exists && reads
    switch attempt.endpoint {
    case "records/lookup", "assets/rereference": return isSeen ? "ok" : "NOT_FOUND"
    case "records/query":
      if !reads, !readsOwn { return "403 ACCESS_DENIED" }
      return isSeen ? "found" : "not found"
    case "assets/upload":
      return isSeen ? (writes ? "ok" : "403 ACCESS_DENIED") : (creates ? "ok" : "403 ACCESS_DENIED")
    default: break
    }
    switch attempt.operation {
    case "create":
      // Names are unique, so the answer cannot hide that a name is taken.
      if exists, reads || creates { return "CONFLICT" }
      return creates ? "ok" : denied
    case "update", "replace", "delete": return isSeen ? (writes ? "ok" : denied) : "NOT_FOUND"
    case "forceUpdate", "forceReplace":
      if isSeen { return writes ? "ok" : denied }
      if !creates { return denied }
      return exists ? "NOT_FOUND" : "ok"
    default: return isSeen && !writes ? denied : "ok"
    }
  }
}
