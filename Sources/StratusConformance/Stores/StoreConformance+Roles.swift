import StratusDomain
import StratusWire

extension StoreConformance {
  static let roleChecks: [Check] = [
    Check("a new record type has the initial grants", newTypesHaveInitialGrants),
    Check("new fields of user records do not change the grants", userFieldsKeepGrants),
    Check("a new set of grants replaces all earlier grants of the type", grantsAreReplaced),
    Check("a removed role disappears from all grants", removedRolesLeaveGrants),
    Check("a new set of roles replaces all earlier roles of a user", userRolesAreReplaced),
    Check(
      "a removed role is taken from all users, and its number is not used again",
      removedRolesLeaveUsers),
    Check("an unknown role cannot be given to a user", unknownRoleIsRefused),
  ]

  /// The type of user records has different initial grants.
  static func newTypesHaveInitialGrants(_ store: any Store) async throws {
    let schema = try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Note", "Users"]))
      return try body.schema()
    }
    try expect(
      schema.recordTypes["Note"]?.grants.roles,
      ["_world": .read, "_icloud": .create, "_creator": .write])
    try expect(
      schema.recordTypes["Users"]?.grants.roles, ["_world": .read, "_creator": .write])
    try expect(schema.customRoles, [])
  }

  /// Apps add fields to user records without adding the record type.
  static func userFieldsKeepGrants(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(
        SchemaAddition(
          fields: [.init(recordType: "Users", name: "nick", type: FieldType(.string))]))
    }
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(
      schema.recordTypes["Users"]?.grants.roles, ["_world": .read, "_creator": .write])
  }

  /// Other types keep their grants. Reads with an older cached schema also see the new grants.
  static func grantsAreReplaced(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Note", "Photo"]))
      try body.set(customRoles: ["Editor", "Curator"])
    }
    for roles in [
      ["Editor": [.read, .create, .write], "_world": .read],
      ["Curator": .write], [:], ["_icloud": [.create, .read]],
    ] as [[String: RecordPermissions]] {
      let written = try await store.write { (body) throws(ServerError) in
        try body.set(RecordGrants(roles: roles), of: "Note")
        return try body.schema()
      }
      let read = try await store.read { (body) throws(ServerError) in try body.schema() }
      for schema in [written, read] {
        try expect(schema.recordTypes["Note"]?.grants.roles, roles)
        try expect(schema.recordTypes["Photo"]?.grants, .standard)
        try expect(schema.customRoles, ["Editor", "Curator"])
      }
    }
  }

  static func removedRolesLeaveGrants(_ store: any Store) async throws {
    let editor = RecordGrants(roles: ["Editor": .write, "Curator": .read, "_world": .read])
    try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Note"]))
      try body.set(customRoles: ["Editor", "Curator"])
      try body.set(editor, of: "Note")
      _ = try body.schema()
      try body.set(customRoles: ["Curator", "Reviewer"])
    }
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema.customRoles, ["Curator", "Reviewer"])
    try expect(
      schema.recordTypes["Note"]?.grants.roles, ["Curator": .read, "_world": .read])
  }

  /// A role has the same number for all its users. After a user's roles are replaced, reads whose
  /// session has an older cached schema also return the new roles.
  static func userRolesAreReplaced(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.set(customRoles: ["Editor", "Curator"])
    }
    var numbers: [Set<String>: [Int64]] = [:]
    for roles in [["Editor"], ["Curator"], ["Curator", "Editor"], [], ["Editor"]]
      as [Set<String>]
    {
      let (given, others) = try await store.write { (body) throws(ServerError) in
        (
          try body.set(roles: roles, ofUser: "_ann"),
          try body.set(roles: ["Editor"], ofUser: "_bob")
        )
      }
      try expect(given.count, roles.count)
      if let known = numbers[roles] { try expect(given, known) }
      numbers[roles] = given
      numbers[["Editor"]] = others
      let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
      try expect(
        schema.rolesOfUsers,
        roles.isEmpty ? ["_bob": ["Editor"]] : ["_ann": roles, "_bob": ["Editor"]])
    }
    try expect(
      numbers[["Curator", "Editor"]],
      ((numbers[["Curator"]] ?? []) + (numbers[["Editor"]] ?? [])).sorted())
  }

  static func removedRolesLeaveUsers(_ store: any Store) async throws {
    let first = try await store.write { (body) throws(ServerError) in
      try body.set(customRoles: ["Editor", "Curator"])
      return try body.set(roles: ["Editor", "Curator"], ofUser: "_ann")
    }
    let (schema, second) = try await store.write { (body) throws(ServerError) in
      try body.set(customRoles: ["Curator"])
      let schema = try body.schema()
      try body.set(customRoles: ["Curator", "Editor"])
      return (schema, try body.set(roles: ["Editor"], ofUser: "_bob"))
    }
    try expect(schema.rolesOfUsers, ["_ann": ["Curator"]])
    try expect(second.filter(first.contains), [])
  }

  static func unknownRoleIsRefused(_ store: any Store) async throws {
    let error = await store.failure { (body) throws(ServerError) in
      try body.set(customRoles: ["Editor"])
      _ = try body.set(roles: ["Curator"], ofUser: "_ann")
    }
    try expect(error?.code, .internalError)
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema, Schema())
  }
}
