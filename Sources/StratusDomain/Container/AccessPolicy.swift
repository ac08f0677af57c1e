import StratusWire

/// Answers every question about what a caller may do. Pure.
///
/// A policy is made when a database is opened, and for each subscriber when a change is matched.
/// Endpoints, feeds, queries, uploads and the matching of subscriptions all ask it.
struct AccessPolicy: Sendable, Hashable {
  /// The database that the caller opened.
  let view: DatabaseView
  /// The caller's user record name; nil: nobody is signed in.
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
  /// - Parameter creator: user record name of the record's creator; nil: there is no record yet.
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
        // Source: schema-language §5: the creator's grant to create holds for every user.
        if creator == nil || creator == user { permissions.formUnion(grants.creator) }
      }
      // Choice: a role that may write a record may read it. Apple does not say.
      if permissions.contains(.write) { permissions.insert(.read) }
      return permissions.contains(permission)
    }
  }

  /// Which records of a type the caller may read.
  func readableRecords(grants: RecordGrants, as role: ZoneRole) -> ReadableRecords {
    if allows(.read, createdBy: "", grants: grants, as: role) { return .all }
    guard let user, allows(.read, createdBy: user, grants: grants, as: role) else { return .none }
    return .createdBy(user)
  }
}

/// Which records of a type a caller may read.
enum ReadableRecords: Sendable, Hashable {
  case all
  /// Those that the caller created.
  case createdBy(String)
  case none
}

/// What a role may do with the records of a type (schema-language §5).
struct RecordPermissions: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  static let read = RecordPermissions(rawValue: 1)
  static let create = RecordPermissions(rawValue: 2)
  /// To change and to delete.
  static let write = RecordPermissions(rawValue: 4)
}

/// The permissions that a record type grants in the public database (schema-language §5).
public struct RecordGrants: Sendable, Hashable {
  /// Of the role `_world`: everybody.
  var world: RecordPermissions
  /// Of the role `_icloud`: every signed-in user.
  var authenticated: RecordPermissions
  /// Of the role `_creator`: the user who created the record.
  var creator: RecordPermissions

  /// The grants of a new record type: everybody reads, users create, and only the creator writes.
  public static let standard = RecordGrants(world: .read, authenticated: .create, creator: .write)
}
