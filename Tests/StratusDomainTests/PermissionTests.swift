import StratusWire
import Testing

@testable import StratusDomain

/// Write permissions (cloudkit-semantics §4): in the public database, every user may create
/// records, and only the creator may change a record.
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

  /// Anna as the caller, and a note of Bea that only Bea may read.
  private func secretNote() throws -> Situation {
    var situation = try publicNote(by: Situation.bea)
    situation.schema = Schema(recordTypes: [
      "Note": RecordType(
        name: "Note", grants: RecordGrants(roles: ["_icloud": .create, "_creator": .write]))
    ])
    return situation
  }

  @Test func `a create conflict hides a record that the caller may not read`() throws {
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

  @Test func `a forced deletion of a record that the caller may not read deletes nothing`() throws {
    let decision = try secretNote().decide([.on("n-1", .forceDelete)])
    #expect(decision.records.isEmpty)
    guard case .deleted("n-1") = try #require(decision.outcomes.first) else {
      Issue.record("the deletion was not answered as for a missing record")
      return
    }
  }

  @Test(arguments: [RecordOperation.Kind.create, .forceUpdate, .forceReplace])
  func `a type without a grant to create refuses new records`(kind: RecordOperation.Kind) throws {
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
}
