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
  /// - Parameters:
  ///   - creator: the user record name of the record's creator; nil: there is no record yet.
  ///   - root: the root of the shared hierarchy that contains the record, or will contain it; nil:
  ///     the record is in none.
  func allows(
    _ permission: RecordPermissions, createdBy creator: String?, grants: RecordGrants,
    as role: ZoneRole, in root: String? = nil
  ) -> Bool {
    switch role {
    case .owner: return true
    case .participant(let participation):
      // The record types' grants apply to the public database only.
      return participation.shares(showing: root).contains {
        permission == .read || $0.permission == .readWrite
      }
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
    if case .participant(let participation) = role, !participation.showsZone {
      return .inHierarchies(Set(participation.rootNames.map(ExactName.init)))
    }
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
  /// The records in the shared hierarchies of these roots.
  case inHierarchies(Set<ExactName>)
  case none
}

/// The rights of a role on the records of a type (schema-language §5).
struct RecordPermissions: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  static let read = RecordPermissions(rawValue: 1)
  static let create = RecordPermissions(rawValue: 2)
  /// Change and delete.
  static let write = RecordPermissions(rawValue: 4)
}

/// The permissions that a record type grants in the public database (schema-language §5).
public struct RecordGrants: Sendable, Hashable {
  /// The permissions of the role `_world`: all callers.
  var world: RecordPermissions
  /// The permissions of the role `_icloud`: every signed-in user.
  var authenticated: RecordPermissions
  /// The permissions of the role `_creator`: the user who created the record.
  var creator: RecordPermissions

  /// The grants of a new record type: all callers read, users create, and only the creator writes.
  public static let standard = RecordGrants(world: .read, authenticated: .create, creator: .write)
}
