import StratusWire
import Testing

@testable import StratusDomain

/// The record that results from a save.
@Suite struct SavedRecord {
  private func saved(
    _ kind: RecordOperation.Kind, _ fields: String?, parent: ParentChange = .unchanged
  ) throws -> StoredRecord {
    let situation = try Situation.oneNote()
    let tag = try #require(situation.stored.first).tag
    let decision = situation.decide([
      try .on("n-1", kind, tag: tag, fields: fields, parent: parent)
    ])
    #expect(decision.verdicts == [.saved])
    return try #require(decision.records.first)
  }

  private func values(of record: StoredRecord) throws -> [String: FieldValue] {
    try Dictionary(
      record.fields.values().map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  @Test(arguments: [RecordOperation.Kind.update, .forceUpdate])
  func `an update keeps the fields that the request does not contain`(
    kind: RecordOperation.Kind
  ) throws {
    let record = try saved(kind, #"{"count":{"value":2}}"#)
    #expect(try values(of: record) == ["title": .string("Milk"), "count": .int64(2)])
  }

  @Test(arguments: [RecordOperation.Kind.replace, .forceReplace])
  func `a replacement removes the fields that the request leaves out`(
    kind: RecordOperation.Kind
  ) throws {
    let record = try saved(kind, #"{"count":{"value":2}}"#)
    #expect(try values(of: record) == ["count": .int64(2)])
  }

  @Test(arguments: [#"{}"#, #"{"value":null}"#, #"{"value":null,"type":"STRING"}"#, "null"])
  func `a field without a value is removed`(field: String) throws {
    let record = try saved(.update, #"{"title":\#(field)}"#)
    #expect(try values(of: record) == ["count": .int64(1)])
  }

  @Test func `a save keeps the creator and changes the modifier`() throws {
    let record = try saved(.update, nil)
    #expect(
      record.created
        == Stamp(timestamp: Situation.past, userRecordName: Situation.anna, deviceID: "1"))
    #expect(
      record.modified
        == Stamp(timestamp: Situation.now, userRecordName: Situation.anna, deviceID: "2"))
  }

  @Test func `every save creates a new change tag, even a save without a change`() throws {
    let before = try #require(Situation.oneNote().stored.first)
    let after = try saved(.update, nil)
    #expect(after.fields == before.fields)
    #expect(after.tag != before.tag)
  }

  @Test func `an update keeps, replaces or removes the parent`() throws {
    #expect(try saved(.update, nil).parentRecordName == "p-1")
    #expect(try saved(.update, nil, parent: .set(recordName: "p-2")).parentRecordName == "p-2")
    #expect(try saved(.update, nil, parent: .removed).parentRecordName == nil)
  }

  @Test(arguments: ["", "_p", "p\u{7}", String(repeating: "p", count: 256)])
  func `an illegal parent name is refused`(name: String) throws {
    let operation = try RecordOperation.on("n-2", .create, parent: .set(recordName: name))
    #expect(try Situation.oneNote().decide(operation) == .refused(.badRequest))
  }

  @Test func `a deletion leaves a tombstone with the record's type`() throws {
    let decision = try Situation.oneNote().decide([.on("n-1", .forceDelete)])
    let tombstone = try #require(decision.records.first)
    #expect(tombstone.isDeleted)
    #expect(tombstone.type == "Note")
    #expect(tombstone.change == 4)
    #expect(tombstone.fields == .empty)
  }

  @Test func `a record of more than one megabyte is refused`() throws {
    let situation = try Situation.oneNote()
    let long = String(repeating: "x", count: 1_048_577)
    let fits = String(repeating: "x", count: 1_000_000)
    #expect(
      try situation.decide(.on("n-2", .create, fields: #"{"title":{"value":"\#(long)"}}"#))
        == .refused(.badRequest))
    #expect(
      try situation.decide(.on("n-2", .create, fields: #"{"title":{"value":"\#(fits)"}}"#))
        == .saved)
  }

  @Test
  func `the size limit applies to the whole record, not to the fields that one save adds`() throws {
    var situation = try Situation.oneNote()
    let half = String(repeating: "x", count: 700_000)
    situation.stored[0].fields = FieldsJSON([("title", .string(half))])
    let operation = try RecordOperation.on(
      "n-1", .forceUpdate, fields: #"{"body":{"value":"\#(half)"}}"#)
    #expect(try situation.decide(operation) == .refused(.badRequest))
  }

  @Test func `a save that names a field twice is refused`() throws {
    let operation = try RecordOperation.on(
      "n-2", .create, fields: #"{"title":{"value":"a"},"title":{"value":"b"}}"#)
    #expect(try Situation.oneNote().decide(operation) == .refused(.badRequest))
  }
}
