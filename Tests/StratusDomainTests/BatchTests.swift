import StratusWire
import Testing

@testable import StratusDomain

/// Several operations on one zone.
@Suite struct Batch {
  @Test func `an atomic batch with one refusal writes nothing`() throws {
    var situation = try Situation.oneNote()
    situation.isAtomic = true
    let decision = situation.decide([
      try .on("a", .create), try .on("n-1", .update, tag: "stale"), try .on("b", .forceDelete),
      try .on("c", .create, type: "Task", fields: #"{"x":{"value":1}}"#),
    ])
    #expect(
      decision.verdicts == [
        .refused(.atomicError), .refused(.conflict), .refused(.atomicError),
        .refused(.atomicError),
      ])
    #expect(decision.records.isEmpty)
    #expect(decision.schemaAddition.isEmpty)
  }

  @Test func `each failing item of an atomic batch keeps its own error`() throws {
    var situation = try Situation.oneNote()
    situation.isAtomic = true
    let decision = situation.decide([
      try .on("n-1", .create), try .on("gone", .update, tag: "1"),
      try .on("n-2", .create, fields: #"{"title":{"value":5}}"#), try .on("ok", .create),
    ])
    #expect(
      decision.verdicts == [
        .refused(.conflict), .refused(.notFound), .refused(.badRequest), .refused(.atomicError),
      ])
  }

  @Test func `a batch that is not atomic continues after a refused operation`() throws {
    let decision = try Situation.oneNote().decide([
      .on("a", .create), .on("n-1", .update, tag: "stale"), .on("b", .create),
    ])
    #expect(decision.verdicts == [.saved, .refused(.conflict), .saved])
    #expect(decision.records.map(\.name) == ["a", "b"])
  }

  @Test func `a batch's change numbers follow the zone's newest change without gaps`() throws {
    let decision = try Situation.oneNote().decide([
      .on("a", .create), .on("n-1", .create), .on("never", .forceDelete),
      .on("n-1b", .create), .on("c", .forceUpdate),
    ])
    #expect(decision.records.map(\.change) == [4, 5, 6])
  }

  @Test(arguments: [
    (RecordOperation.Kind.forceUpdate, RecordOperation.Kind.forceUpdate),
    (.forceUpdate, .forceDelete), (.forceDelete, .forceUpdate), (.create, .create),
    (.forceDelete, .forceDelete),
  ])
  func `a request that names a record twice is invalid`(
    first: RecordOperation.Kind, second: RecordOperation.Kind
  ) throws {
    var situation = try Situation.oneNote()
    situation.isAtomic = true
    let decision = situation.decide([try .on("x", first), try .on("x", second)])
    #expect(decision.verdicts.contains(.refused(.badRequest)))
    #expect(decision.records.isEmpty)
  }

  @Test
  func `record names that look alike but differ in their bytes refer to two records`() throws {
    var situation = try Situation.oneNote()
    situation.stored[0].name = "caf\u{E9}"
    let decision = situation.decide([
      try .on("cafe\u{301}", .create), try .on("caf\u{E9}", .forceDelete),
    ])
    #expect(decision.verdicts == [.saved, .deleted])
  }

  @Test func `a refused save adds nothing to the schema`() throws {
    let decision = try Situation.oneNote().decide([
      .on("a", .create, type: "Task", fields: #"{"due":{"value":1},"bad.name":{"value":1}}"#),
      .on("b", .create, fields: #"{"body":{"value":"x"}}"#),
    ])
    #expect(decision.verdicts == [.refused(.badRequest), .saved])
    #expect(decision.schemaAddition.recordTypes.isEmpty)
    #expect(decision.schemaAddition.fields.map(\.name) == ["body"])
  }

  @Test func `the first save of a field sets its type for the rest of the batch`() throws {
    let decision = try Situation.oneNote().decide([
      .on("a", .create, fields: #"{"size":{"value":1}}"#),
      .on("b", .create, fields: #"{"size":{"value":"large"}}"#),
    ])
    #expect(decision.verdicts == [.saved, .refused(.badRequest)])
  }
}
