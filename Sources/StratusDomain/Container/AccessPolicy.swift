import StratusWire

/// Decides what a caller may do. It is pure: a decision depends only on the arguments.
///
/// A policy is created when a database is opened, and for each subscriber when a change is matched.
/// Endpoints, feeds, queries, uploads and the matching of subscriptions all ask it.
struct AccessPolicy: Sendable, Hashable {
  /// The database that the caller opened.
  let view: DatabaseView
  /// The caller's user record name; nil: the caller is not signed in.
  let user: String?

  /// The caller's role in a zone of a database; nil: the caller has none.
  ///
  /// - Parameter participation: the caller's participation in the zone; nil: there is none.
  func role(in database: DatabaseKey, participation: Participation? = nil) -> ZoneRole? {
    switch (view, database) {
    case (.public, .public): .visitor
    case (.private(let user), .private(let owner)):
      user == owner && user == self.user ? .owner : nil
    case (.shared(let user), .private(let owner)):
      user != owner && user == self.user ? participation.map(ZoneRole.participant) : nil
    case (.public, .private), (.private, .public), (.shared, .public): nil
    }
  }

  /// Whether the caller has a permission for records of one type and creator.
  ///
  /// Source: schema-language §5: the permissions of all roles of the caller add up.
  ///
  /// - Parameters:
  ///   - creator: the user record name of the record's creator; nil: there is no record yet.
  ///   - root: the root of the shared hierarchy that contains the record, or will contain it; nil:
  ///     the record is in none.
  func allows(
    _ permission: RecordPermissions, createdBy creator: String?, type recordType: String,
    schema: Schema, as role: ZoneRole, in root: String? = nil
  ) -> Bool {
    switch role {
    case .owner: return true
    case .participant(let participation):
      // The record types' grants apply to the public database only.
      return participation.shares(showing: root).contains { share in
        if permission == .read { return true }
        guard recordType == ShareRecord.recordType else { return share.permission == .readWrite }
        // A share is created by the owner, and changed by administrators, too (semantics §20).
        return permission == .write && share.isAdministrator
      }
    case .visitor:
      let grants = schema.grants(of: recordType)
      var permissions = grants.world
      if let user {
        permissions.formUnion(grants.authenticated)
        // Source: schema-language §5: the creator's grant to create applies to every user.
        if creator == nil || creator == user { permissions.formUnion(grants.creator) }
        if !grants.custom.isEmpty {
          for role in schema.customRoles(of: user) { permissions.formUnion(grants[role]) }
        }
      }
      // Choice: a role that may write a record may also read it. Apple does not document this.
      if permissions.contains(.write) { permissions.insert(.read) }
      return permissions.contains(permission)
    }
  }

  /// The records of a type that the caller may read.
  func readableRecords(
    ofType recordType: String, schema: Schema, as role: ZoneRole
  ) -> ReadableRecords {
    if case .participant(let participation) = role, !participation.showsZone {
      return .inHierarchies(Set(participation.rootNames.map(ExactName.init)))
    }
    func reads(_ creator: String) -> Bool {
      allows(.read, createdBy: creator, type: recordType, schema: schema, as: role)
    }
    // No user has an empty name, so this asks whether the caller may read the records of all users.
    if reads("") { return .all }
    guard let user, reads(user) else { return .none }
    return .createdBy(user)
  }
}

/// The records of a type that a caller may read.
enum ReadableRecords: Sendable, Hashable {
  case all
  /// The records that the caller created.
  case createdBy(String)
  /// The records in the shared hierarchies of these roots.
  case inHierarchies(Set<ExactName>)
  case none
}
