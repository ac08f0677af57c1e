import StratusDomain
import StratusWire

extension StoreConformance {
  static let roleChecks: [Check] = [
    Check("a new record type has the initial grants", newTypesHaveInitialGrants),
    Check("grants are replaced as a whole", grantsAreReplaced),
    Check("a removed role leaves all grants", removedRolesLeaveGrants),
  ]

  /// User records have grants of their own.
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

  /// Other types keep their grants, and reads with an older schema see the new grants.
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
}
