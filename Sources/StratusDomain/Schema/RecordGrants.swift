/// The rights of a role on the records of a type.
public struct RecordPermissions: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The permission to fetch and query records.
  public static let read = RecordPermissions(rawValue: 1)
  /// The permission to create records.
  public static let create = RecordPermissions(rawValue: 2)
  /// The permission to change and delete records.
  public static let write = RecordPermissions(rawValue: 4)
}

/// The permissions that a record type grants in the public database, by role.
///
/// The permissions of all roles of a caller add up. A type without grants is closed to all callers.
public struct RecordGrants: Sendable, Hashable {
  /// The role of all callers, including callers without a user.
  public static let worldRole = "_world"
  /// The role of every signed-in user.
  public static let authenticatedRole = "_icloud"
  /// The role of the user who created the record.
  public static let creatorRole = "_creator"

  /// The grants of a new record type: all callers read, users create, and only the creator writes.
  public static let standard = RecordGrants(roles: [
    worldRole: .read, authenticatedRole: .create, creatorRole: .write,
  ])

  /// The grants of user records: all callers read, and only the user writes. Only the server
  /// creates user records.
  public static let users = RecordGrants(roles: [worldRole: .read, creatorRole: .write])

  /// The grants that a record type has when it is created.
  public static func initial(forType recordType: String) -> RecordGrants {
    recordType == UserRecords.recordType ? .users : .standard
  }

  // NB: the permissions of system roles are stored apart from those of custom roles, so that a
  // decision about a record reads them without computing a hash.
  private(set) var world: RecordPermissions = []
  private(set) var authenticated: RecordPermissions = []
  private(set) var creator: RecordPermissions = []
  /// The permissions of custom roles. No value is empty.
  private(set) var custom: [String: RecordPermissions] = [:]

  /// - Parameter roles: the permissions of each role. An empty set means the same as no entry.
  public init(roles: [String: RecordPermissions] = [:]) {
    for (role, permissions) in roles { self[role] = permissions }
  }

  /// The permissions of every role that has any permission.
  public var roles: [String: RecordPermissions] {
    get {
      var roles = custom
      for role in [Self.worldRole, Self.authenticatedRole, Self.creatorRole] {
        let permissions = self[role]
        if !permissions.isEmpty { roles[role] = permissions }
      }
      return roles
    }
    set { self = RecordGrants(roles: newValue) }
  }

  /// The permissions of a role.
  public subscript(role: String) -> RecordPermissions {
    get {
      switch role {
      case Self.worldRole: world
      case Self.authenticatedRole: authenticated
      case Self.creatorRole: creator
      default: custom[role] ?? []
      }
    }
    set {
      switch role {
      case Self.worldRole: world = newValue
      case Self.authenticatedRole: authenticated = newValue
      case Self.creatorRole: creator = newValue
      default: custom[role] = newValue.isEmpty ? nil : newValue
      }
    }
  }
}
