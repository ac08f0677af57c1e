import StratusWire
import Testing

@testable import StratusDomain

/// Write permissions. By default, every user may create records in the public database, and only
/// the creator may change a record.
@Suite struct Permission {
  private func publicNote(by creator: String) throws -> Situation {
    var situation = try Situation.oneNote(by: creator)
    situation.database = .public
    situation.zoneName = ZoneID.defaultZoneName
    return situation
  }

  @Test(arguments: RecordOperation.Kind.allCases)
  func `a user cannot write another user's public record`(kind: RecordOperation.Kind) throws {
    let situation = try publicNote(by: Situation.bea)
    let tag = try #require(situation.stored.first).tag
    let verdict = try situation.decide(.on("n-1", kind, tag: tag))
    #expect(verdict == .refused(kind == .create ? .conflict : .accessDenied))
  }

  @Test(arguments: [RecordOperation.Kind.update, .forceUpdate, .replace, .forceReplace])
  func `the creator can save its own public record`(kind: RecordOperation.Kind) throws {
    let situation = try publicNote(by: Situation.anna)
    let tag = try #require(situation.stored.first).tag
    #expect(try situation.decide(.on("n-1", kind, tag: tag)) == .saved)
  }

  @Test func `every user can create public records`() throws {
    #expect(try publicNote(by: Situation.bea).decide(.on("n-2", .create)) == .saved)
  }

  /// The caller is Anna. The note belongs to Bea, and only Bea may read it.
  private func secretNote() throws -> Situation {
    var situation = try publicNote(by: Situation.bea)
    situation.schema = Schema(recordTypes: [
      "Note": RecordType(
        name: "Note", grants: RecordGrants(roles: ["_icloud": .create, "_creator": .write]))
    ])
    return situation
  }

  @Test func `a create conflict does not show a record that the caller may not read`() throws {
    let shown = try publicNote(by: Situation.bea).decide([.on("n-1", .create)])
    let hidden = try secretNote().decide([.on("n-1", .create)])
    func serverRecord(_ decision: RecordDecision) throws -> StoredRecord? {
      guard case .refused(let refusal) = try #require(decision.outcomes.first) else {
        Issue.record("the create was not refused")
        return nil
      }
      #expect(refusal.error.code == .conflict)
      return refusal.serverRecord
    }
    #expect(try serverRecord(shown)?.name == "n-1")
    #expect(try serverRecord(hidden) == nil)
  }

  @Test(arguments: [RecordOperation.Kind.update, .forceUpdate, .delete])
  func `a write to a record that the caller may not read gives NOT_FOUND`(
    kind: RecordOperation.Kind
  ) throws {
    let situation = try secretNote()
    let tag = try #require(situation.stored.first).tag
    #expect(try situation.decide(.on("n-1", kind, tag: tag)) == .refused(.notFound))
  }

  /// Without a grant to create records, existing and free names give the same error.
  @Test(arguments: [RecordOperation.Kind.create, .forceUpdate, .forceReplace])
  func `a caller without a grant to create cannot find out which names are taken`(
    kind: RecordOperation.Kind
  ) throws {
    var situation = try publicNote(by: Situation.bea)
    for grants in [[:], ["_creator": .read], ["Editor": [.create, .write]]]
      as [[String: RecordPermissions]]
    {
      situation.schema = .notes(RecordGrants(roles: grants))
      for name in ["n-1", "n-2"] {
        #expect(try situation.decide(.on(name, kind)) == .refused(.accessDenied))
        #expect(try situation.decide(.on(name, kind, type: nil)) == .refused(.badRequest))
      }
    }
  }

  @Test(arguments: [true, false])
  func `a user with a custom role may write another user's record if the role has the grant`(
    isEditor: Bool
  ) throws {
    var situation = try publicNote(by: Situation.bea)
    situation.schema = .notes(
      RecordGrants(roles: ["_world": .read, "Editor": .write]),
      rolesOfUsers: [Situation.anna: [isEditor ? "Editor" : "Reviewer"]])
    let verdict = try situation.decide(.on("n-1", .forceUpdate))
    #expect(verdict == (isEditor ? .saved : .refused(.accessDenied)))
    #expect(try situation.decide(.on("n-2", .create)) == .refused(.accessDenied))
  }

  @Test func `a forced deletion of a record that the caller may not read deletes nothing`() throws {
    let decision = try secretNote().decide([.on("n-1", .forceDelete)])
    #expect(decision.records.isEmpty)
    guard case .deleted("n-1") = try #require(decision.outcomes.first) else {
      Issue.record("the deletion was not answered as for a missing record")
      return
    }
  }

  @Test(arguments: [RecordOperation.Kind.create, .forceUpdate, .forceReplace])
  func `new records are refused if their type has no grant to create`(
    kind: RecordOperation.Kind
  ) throws {
    var situation = try publicNote(by: Situation.bea)
    situation.schema = Schema(recordTypes: [
      "Note": RecordType(
        name: "Note", grants: RecordGrants(roles: ["_world": .read, "_creator": .write]))
    ])
    #expect(try situation.decide(.on("n-2", kind)) == .refused(.accessDenied))
  }

  @Test(arguments: [RecordOperation.Kind.create, .forceUpdate, .forceReplace])
  func `no user can create user records`(kind: RecordOperation.Kind) throws {
    let verdict = try Situation.oneNote().decide(.on("u-1", kind, type: "Users"))
    #expect(verdict == .refused(.badRequest))
  }

  @Test(arguments: [RecordOperation.Kind.delete, .forceDelete])
  func `no user can delete user records`(kind: RecordOperation.Kind) throws {
    var situation = try Situation.oneNote()
    situation.stored[0].type = "Users"
    #expect(try situation.decide(.on("n-1", kind)) == .refused(.badRequest))
  }

  @Test func `a user can save fields of the user's own record`() throws {
    var situation = try Situation.oneNote()
    situation.stored[0].type = "Users"
    let operation = try RecordOperation.on(
      "n-1", .forceUpdate, type: "Users", fields: #"{"nick":{"value":"Annie"}}"#)
    #expect(try situation.decide(operation) == .saved)
  }

  /// A user record. Its field `roles` contains 1 and 2.
  private func userWithRoles() throws -> Situation {
    var situation = try Situation.oneNote()
    situation.stored[0].type = "Users"
    situation.stored[0].fields = FieldsJSON([
      ("nick", .string("Anna")), ("roles", .list(.int64, [.int64(1), .int64(2)])),
    ])
    situation.schema.add(
      SchemaAddition(
        recordTypes: ["Users"],
        fields: [
          .init(recordType: "Users", name: "nick", type: FieldType(.string))
        ]))
    return situation
  }

  private static let saves = [RecordOperation.Kind.update, .forceUpdate, .replace, .forceReplace]

  @Test(arguments: saves)
  func `a save of a user record keeps its roles`(kind: RecordOperation.Kind) throws {
    let situation = try userWithRoles()
    let tag = try #require(situation.stored.first).tag
    for fields in [
      #"{"nick":{"value":"Annie","type":"STRING"}}"#,
      #"{"nick":{"value":"Annie"},"roles":{"value":[1,2],"type":"INT64_LIST"}}"#,
    ] {
      let operation = try RecordOperation.on("n-1", kind, type: "Users", tag: tag, fields: fields)
      let saved = try #require(situation.decide([operation]).records.first, "\(fields)")
      let values = Dictionary(uniqueKeysWithValues: try saved.fields.values().map { ($0, $1) })
      #expect(
        values == ["nick": .string("Annie"), "roles": .list(.int64, [.int64(1), .int64(2)])])
    }
  }

  @Test(arguments: saves, ["[1,2,3]", "[1]", "[]", "null"])
  func `no user can change the roles of a user record`(
    kind: RecordOperation.Kind, roles: String
  ) throws {
    let situation = try userWithRoles()
    let tag = try #require(situation.stored.first).tag
    let operation = try RecordOperation.on(
      "n-1", kind, type: "Users", tag: tag, fields: #"{"roles":{"value":\#(roles)}}"#)
    #expect(try situation.decide(operation) == .refused(.accessDenied))
  }
}
