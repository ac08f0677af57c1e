import StratusWire

/// Decides everything that a caller may do. It is pure.
///
/// A policy is created when a database is opened, and for each subscriber when a change is matched.
/// Endpoints, feeds, queries, uploads and the matching of subscriptions all ask it.
struct AccessPolicy: Sendable, Hashable {
  /// The database that the caller opened.
  let view: DatabaseView
  /// The caller's user record name; nil: the caller is not signed in.
  let user: String?

  /// The caller's role in the zones of a database; nil: the caller has none.
  func role(in database: DatabaseKey) -> ZoneRole? {
    switch (view, database) {
    case (.public, .public): .visitor
    case (.private(let user), .private(let owner)):
      user == owner && user == self.user ? .owner : nil
    case (.public, .private), (.private, .public), (.shared, _): nil
    }
  }

  /// Whether the caller has a permission for records of one type and creator.
  ///
  /// - Parameter creator: the user record name of the record's creator; nil: there is no record
  ///   yet.
  func allows(
    _ permission: RecordPermissions, createdBy creator: String?, grants: RecordGrants,
    as role: ZoneRole
  ) -> Bool {
    switch role {
    case .owner: return true
    case .visitor:
      var permissions = grants.world
      if let user {
        permissions.formUnion(grants.authenticated)
        // Source: schema-language §5: the creator's grant to create applies to every user.
        if creator == nil || creator == user { permissions.formUnion(grants.creator) }
      }
      // Choice: a role that may write a record may read it. Apple does not say.
      if permissions.contains(.write) { permissions.insert(.read) }
      return permissions.contains(permission)
    }
  }

  /// The records of a type that the caller may read.
  func readableRecords(grants: RecordGrants, as role: ZoneRole) -> ReadableRecords {
    if allows(.read, createdBy: "", grants: grants, as: role) { return .all }
    guard let user, allows(.read, createdBy: user, grants: grants, as: role) else { return .none }
    return .createdBy(user)
  }
}

/// The records of a type that a caller may read.
enum ReadableRecords: Sendable, Hashable {
  case all
  /// The records that the caller created.
  case createdBy(String)
  case none
}
