import StratusWire

/// Explains which roles allow a user to do something with a record of the public database.
///
/// ``AccessPolicy`` decides, as for every request. The roles only explain its decision.
struct PermissionExplanation: Sendable {
  /// The user record name, or nil for a caller who is not signed in.
  let user: String?
  let recordType: String
  /// The creator of the record, or nil if there is no record yet.
  let creator: String?
  let schema: Schema

  private static let permissions: [(verb: String, permission: RecordPermissions)] = [
    ("read", .read), ("create", .create), ("write", .write),
  ]

  var verbs: [ExplainPermissions.Verb] {
    Self.permissions.map { verb, permission in
      let isAllowed = AccessPolicy(view: .public, user: user).allows(
        permission, createdBy: creator, type: recordType, schema: schema, as: .visitor)
      let sources = sources(of: permission)
      let names = sources.filter(\.isAllowed).map(\.name)
      let sentence =
        isAllowed
        ? "The user may \(verb) it, by \(names.joined(separator: ", "))."
        : "No role of the user may \(verb) records of the type \(recordType)."
      return ExplainPermissions.Verb(
        verb: verb, isAllowed: isAllowed, sentence: sentence, sources: sources)
    }
  }

  private func sources(of permission: RecordPermissions) -> [ExplainPermissions.Source] {
    var sources: [ExplainPermissions.Source] = []
    if schema.recordTypes[recordType] == nil {
      sources.append(
        ExplainPermissions.Source(
          kind: "schema", name: recordType, isAllowed: false,
          sentence: "The schema does not have the record type, so a new type's grants count."))
    }
    let roles = schema.grants(of: recordType).roles
    for (role, granted) in roles.sorted(by: { $0.key < $1.key }) {
      // Choice: a role that may write a record may also read it, as in `AccessPolicy`.
      let isGranted =
        granted.contains(permission) || permission == .read && granted.contains(.write)
      guard isGranted else { continue }
      let (isHeld, sentence) = holds(role)
      sources.append(
        ExplainPermissions.Source(
          kind: "grant", name: role, isAllowed: isHeld, sentence: sentence))
    }
    return sources
  }

  /// Returns whether the user has a role, and the reason.
  private func holds(_ role: String) -> (isHeld: Bool, sentence: String) {
    switch role {
    case RecordGrants.worldRole: return (true, "Every caller has this role.")
    case RecordGrants.authenticatedRole:
      return user == nil
        ? (false, "The caller is not signed in.") : (true, "Every signed-in user has this role.")
    case RecordGrants.creatorRole:
      guard let user else { return (false, "The caller is not signed in.") }
      guard let creator else { return (true, "The user would be the creator of the record.") }
      return creator == user
        ? (true, "The user created the record.") : (false, "Another user created the record.")
    default:
      let isHeld = user.map { schema.customRoles(of: $0).contains(role) } ?? false
      return isHeld
        ? (true, "An operator granted this role to the user.")
        : (false, "The user does not have this role.")
    }
  }
}

/// Answers ``ExplainPermissions``.
struct ExplainPermissionsHandler: ManagementHandler {
  typealias Endpoint = ExplainPermissions

  let changer: SchemaChanger

  func answer(
    _ request: ExplainPermissions.Request
  ) async throws(ServerError) -> ExplainPermissions.Response {
    guard request.database == .public else {
      throw .badRequest(
        "only permissions of the public database can be explained; in a private database, the "
          + "owner may do everything, and participants may do what their share allows")
    }
    let store = try await changer.store(of: request.containerID, request.environment)
    let name = request.recordName
    let (schema, record) = try await store.read {
      (store) throws(ServerError) -> (Schema, StoredRecord?) in
      let schema = try store.schema()
      guard let name,
        let zone = try store.zone(named: ZoneID.defaultZoneName, in: .public)
      else { return (schema, nil) }
      return (schema, try store.records(named: [name], in: zone).first?.value)
    }
    if name != nil, record == nil { throw ServerError(.notFound, Reason.recordNotFound) }
    guard let recordType = record?.type ?? request.recordType else {
      throw .badRequest("name a record or a record type")
    }
    let explanation = PermissionExplanation(
      user: request.userRecordName, recordType: recordType,
      creator: record?.created.userRecordName, schema: schema)
    let user = request.userRecordName ?? "a caller who is not signed in"
    return ExplainPermissions.Response(
      subject: "\(record?.name ?? recordType), for \(user)", verbs: explanation.verbs)
  }
}
