import StratusWire

/// Decides what a caller may do. A decision depends only on the policy and the arguments.
///
/// A policy is created when a database is opened, and for each subscriber when a change is matched.
/// Endpoints, feeds, queries, uploads and the matching of subscriptions all use policies.
struct AccessPolicy: Sendable, Hashable {
  /// The database that the caller opened.
  let view: DatabaseView
  /// The caller's user record name, or nil if the caller is not signed in.
  let user: String?
  /// Whether the server itself restores records. The server then has all rights of an owner.
  var restores = false

  /// Returns the caller's role in a zone of a database, or nil if the caller has no role there.
  ///
  /// - Parameter participation: the caller's participation in the zone, or nil if there is none.
  func role(in database: DatabaseKey, participation: Participation? = nil) -> ZoneRole? {
    if restores { return DatabaseView(of: database) == view ? .owner : nil }
    return switch (view, database) {
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
  /// The permissions of all roles of the caller add up.
  ///
  /// - Parameters:
  ///   - creator: the user record name of the record's creator, or nil if there is no record yet.
  ///   - root: the root of the shared hierarchy that contains the record, or will contain it, or
  ///     nil if no shared hierarchy does.
  func allows(
    _ permission: RecordPermissions, createdBy creator: String?, type recordType: String,
    schema: Schema, as role: ZoneRole, in root: String? = nil
  ) -> Bool {
    switch role {
    case .owner: return true
    case .participant(let participation):
      // The grants of record types apply to the public database only.
      return participation.shares(showing: root).contains { share in
        if permission == .read { return true }
        guard recordType == ShareRecord.recordType else { return share.permission == .readWrite }
        // Only the owner creates a share, but administrators may change it, too.
        return permission == .write && share.isAdministrator
      }
    case .visitor:
      let grants = schema.grants(of: recordType)
      var permissions = grants.world
      if let user {
        permissions.formUnion(grants.authenticated)
        // As Apple documents, if `_creator` may create records, every signed-in user may.
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

  /// Returns which records of a type the caller may read.
  func readableRecords(
    ofType recordType: String, schema: Schema, as role: ZoneRole
  ) -> ReadableRecords {
    if case .participant(let participation) = role, !participation.showsZone {
      return .inHierarchies(Set(participation.rootNames.map(ExactName.init)))
    }
    func reads(_ creator: String) -> Bool {
      allows(.read, createdBy: creator, type: recordType, schema: schema, as: role)
    }
    // No user has an empty name, so this call asks for the right to read the records of all users.
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
