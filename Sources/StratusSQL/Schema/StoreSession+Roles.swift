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

  /// Reads the roles and grants of a schema whose record types are known.
  func readRoles(into schema: inout Schema) throws(ServerError) {
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
    for recordType in schema.recordTypes.keys {
      schema.set(grants[recordType] ?? RecordGrants(), of: recordType)
    }
  }
}

private enum RoleStatements {
  static let list = SQLStatement("SELECT name FROM roles ORDER BY name")
  static let insert = SQLStatement("INSERT INTO roles (name) VALUES (?)")
  static let delete = SQLStatement("DELETE FROM roles WHERE name = ?")
  static let deleteMembers = SQLStatement(
    "DELETE FROM role_members WHERE role = (SELECT role FROM roles WHERE name = ?)")
}
