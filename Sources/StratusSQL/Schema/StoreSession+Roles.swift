public import StratusDomain
import StratusWire

extension StoreSession {
  public func set(_ grants: RecordGrants, of recordType: String) throws(ServerError) {
    try connection.queue(GrantStatements.deleteOfType, [.text(recordType)])
    try insert(grants, of: recordType)
    try advanceSchema()
  }

  /// Inserts the grants of a record type that has none.
  func insert(_ grants: RecordGrants, of recordType: String) throws(ServerError) {
    for (role, permissions) in grants.roles.sorted(by: { $0.key < $1.key }) {
      try connection.queue(
        GrantStatements.insert,
        [.text(recordType), .text(role), .integer(Int64(permissions.rawValue))])
    }
  }

  public func set(customRoles: Set<String>) throws(ServerError) {
    let known = Set(try connection.all(RoleStatements.list, []) { $0.text(0) })
    for role in known.subtracting(customRoles).sorted() {
      try connection.queue(RoleStatements.deleteMembers, [.text(role)])
      try connection.queue(RoleStatements.delete, [.text(role)])
      try connection.queue(GrantStatements.deleteOfRole, [.text(role)])
    }
    for role in customRoles.subtracting(known).sorted() {
      try connection.queue(RoleStatements.insert, [.text(role)])
    }
    if known != customRoles { try advanceSchema() }
  }

  public func set(
    roles: Set<String>, ofUser user: String
  ) throws(ServerError) -> [Int64] {
    try connection.queue(RoleStatements.deleteMember, [.text(user)])
    for role in roles.sorted() {
      try connection.queue(
        RoleStatements.insertMember, [.text(user), .text(role)],
        expecting: .one(otherwise: "a user's role is not in the schema"))
    }
    try advanceSchema()
    return try connection.all(RoleStatements.numbers, [.text(user)]) { $0.integer(0) }
  }

  /// Reads the roles and grants of a schema whose record types have already been read.
  ///
  /// - Parameter storedTypes: the record types whose grants are stored. A type of this list without
  ///   stored grants has no grants. The type of user records may be missing in the list although it
  ///   has fields. It then keeps its initial grants.
  func readRoles(
    into schema: inout Schema, storedTypes: [String]
  ) throws(ServerError) {
    schema.customRoles = Set(try connection.all(RoleStatements.list, []) { $0.text(0) })
    var grants: [String: RecordGrants] = [:]
    try connection.run(GrantStatements.list, []) { (row) throws(ServerError) in
      guard let permissions = UInt8(exactly: row.integer(2)) else {
        throw .fault("a grant has unknown permissions", facts: ["role": row.text(1)])
      }
      grants[row.text(0), default: RecordGrants()][row.text(1)] =
        RecordPermissions(rawValue: permissions)
      return true
    }
    for recordType in storedTypes + grants.keys {
      schema.set(grants[recordType] ?? RecordGrants(), of: recordType)
    }
    if !schema.customRoles.isEmpty { try readMembers(into: &schema) }
  }

  private func readMembers(into schema: inout Schema) throws(ServerError) {
    var members: [String: Set<String>] = [:]
    for (member, role) in try connection.all(
      RoleStatements.members, [], { ($0.text(0), $0.text(1)) })
    {
      members[member, default: []].insert(role)
    }
    // Users with the same roles share one set.
    var sets: Set<Set<String>> = []
    for (member, roles) in members {
      schema.set(roles: sets.insert(roles).memberAfterInsert, ofUser: member)
    }
  }
}

private enum RoleStatements {
  static let list = SQLStatement("SELECT name FROM roles ORDER BY name")
  static let insert = SQLStatement("INSERT INTO roles (name) VALUES (?)")
  static let delete = SQLStatement("DELETE FROM roles WHERE name = ?")
  static let members = SQLStatement(
    """
    SELECT member, name FROM role_members JOIN roles ON roles.role = role_members.role
    ORDER BY member
    """)
  static let deleteMember = SQLStatement("DELETE FROM role_members WHERE member = ?")
  static let insertMember = SQLStatement(
    "INSERT INTO role_members (member, role) SELECT ?, role FROM roles WHERE name = ?")
  static let numbers = SQLStatement(
    "SELECT role FROM role_members WHERE member = ? ORDER BY role")
  static let deleteMembers = SQLStatement(
    "DELETE FROM role_members WHERE role = (SELECT role FROM roles WHERE name = ?)")
}
