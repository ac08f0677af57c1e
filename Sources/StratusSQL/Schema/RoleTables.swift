import StratusDomain

/// The tables of security roles, added with layout 6.
///
/// The tables belong to the store, because the schema belongs to the store. The number of a role is
/// never used for another role, because the field `roles` of user records contains such numbers.
enum RoleTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE roles (
      role \(dialect.countedKey),
      name \(dialect.text) NOT NULL UNIQUE);
    CREATE TABLE grants (
      record_type \(dialect.text) NOT NULL,
      role_name \(dialect.text) NOT NULL,
      permissions BIGINT NOT NULL,
      PRIMARY KEY (record_type, role_name))\(dialect.keyedTable);
    CREATE TABLE role_members (
      member \(dialect.text) NOT NULL,
      role BIGINT NOT NULL,
      PRIMARY KEY (member, role))\(dialect.keyedTable);
    """
  }

  /// Adds grants to all record types when a store of an earlier layout is upgraded. The grants
  /// contain the permissions that the earlier version enforced.
  static func grantInitially(on connection: any SQLConnection) throws(ServerError) {
    for recordType in try connection.all(GrantStatements.recordTypes, [], { $0.text(0) }) {
      for (role, permissions) in RecordGrants.initial(forType: recordType).roles {
        try connection.execute(
          GrantStatements.insert,
          [.text(recordType), .text(role), .integer(Int64(permissions.rawValue))])
      }
    }
  }
}

enum GrantStatements {
  static let recordTypes = SQLStatement("SELECT name FROM record_types ORDER BY name")
  static let list = SQLStatement(
    "SELECT record_type, role_name, permissions FROM grants ORDER BY record_type, role_name")
  static let insert = SQLStatement(
    "INSERT INTO grants (record_type, role_name, permissions) VALUES (?, ?, ?)")
  static let deleteOfType = SQLStatement("DELETE FROM grants WHERE record_type = ?")
  static let deleteOfRole = SQLStatement("DELETE FROM grants WHERE role_name = ?")
}
