import StratusWire
import Testing

@testable import StratusDomain

/// Compares the access policy with a naive implementation of the rules for grants, for every
/// combination of caller, permission and grants.
@Suite struct `The table of grants` {
  private static let roles = ["_world", "_icloud", "_creator", "Editor"]
  private static let ann = "_ann"

  /// A caller and the creator of the record. The creator is nil if there is no record yet.
  private struct Row {
    let caller: String?
    let customRoles: Set<String>
    let creator: String?
  }

  private static let rows: [Row] = {
    var rows: [Row] = []
    for creator in [ann, "_bob", nil] {
      rows.append(Row(caller: nil, customRoles: [], creator: creator))
      for roles in [[], ["Editor"], ["Reviewer"], ["Editor", "Reviewer"]] as [Set<String>] {
        rows.append(Row(caller: ann, customRoles: roles, creator: creator))
      }
    }
    return rows
  }()

  /// A naive implementation of the rule for roles: a caller has the permissions of all its roles.
  private func oracle(
    _ permission: RecordPermissions, _ row: Row, _ grants: [String: RecordPermissions]
  ) -> Bool {
    var held: [String] = ["_world"]
    if row.caller != nil { held.append("_icloud") }
    if row.caller != nil, row.creator == row.caller || row.creator == nil {
      held.append("_creator")
    }
    held += row.customRoles
    let all = held.flatMap { role in
      [RecordPermissions.read, .create, .write].filter { grants[role]?.contains($0) ?? false }
    }
    return all.contains(permission) || (permission == .read && all.contains(.write))
  }

  /// The schemas by the custom roles of the user Ann.
  private func schemas(_ grants: [String: RecordPermissions]) -> [Set<String>: Schema] {
    var schemas: [Set<String>: Schema] = [:]
    for row in Self.rows where schemas[row.customRoles] == nil {
      schemas[row.customRoles] = Schema.notes(
        RecordGrants(roles: grants), rolesOfUsers: [Self.ann: row.customRoles])
    }
    return schemas
  }

  @Test func `the access policy agrees with the naive implementation in every cell`() {
    var cells = 0
    var wrong: [String] = []
    for number in 0..<4_096 {
      var grants: [String: RecordPermissions] = [:]
      for (index, role) in Self.roles.enumerated() {
        grants[role] = RecordPermissions(rawValue: UInt8(number >> (3 * index) & 7))
      }
      let schemas = schemas(grants)
      for row in Self.rows {
        let schema = schemas[row.customRoles] ?? Schema()
        let policy = AccessPolicy(view: .public, user: row.caller)
        for permission in [RecordPermissions.read, .create, .write] {
          cells += 1
          let allows = policy.allows(
            permission, createdBy: row.creator, type: "Note", schema: schema, as: .visitor)
          if allows != oracle(permission, row, grants) {
            wrong.append("\(permission.rawValue) \(row) \(grants)")
          }
        }
      }
    }
    #expect(cells == 4_096 * 15 * 3)
    #expect(wrong.isEmpty, "\(wrong.count) wrong cells, such as \(wrong.prefix(3))")
  }

  @Test func `a query finds exactly the records that a lookup shows`() {
    for number in 0..<4_096 {
      var grants: [String: RecordPermissions] = [:]
      for (index, role) in Self.roles.enumerated() {
        grants[role] = RecordPermissions(rawValue: UInt8(number >> (3 * index) & 7))
      }
      let schemas = schemas(grants)
      for row in Self.rows where row.creator != nil {
        let schema = schemas[row.customRoles] ?? Schema()
        let policy = AccessPolicy(view: .public, user: row.caller)
        let isFound =
          switch policy.readableRecords(ofType: "Note", schema: schema, as: .visitor) {
          case .all: true
          case .createdBy(let user): user == row.creator
          case .none, .inHierarchies: false
          }
        if isFound != oracle(.read, row, grants) { Issue.record("\(row) \(grants)") }
      }
    }
  }
}
