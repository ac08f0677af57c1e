import StratusWire
import Testing

@testable import StratusDomain

/// The revisions of records, which are part of their change tags.
@Suite struct Revisions {
  /// `Situation.now`, which is 1,767,225,660,000 milliseconds since 1970, in base 36.
  private static let now = "mjuoj2ao"
  private static let past = "mjuohs00"

  /// The record of ``Situation/oneNote(by:)``, as an earlier release saved it. Its change number is
  /// 3.
  private func old() throws -> StoredRecord {
    try #require(try Situation.oneNote().stored.first)
  }

  private func saved(
    _ kind: RecordOperation.Kind, _ name: String = "n-1", over stored: [StoredRecord],
    tag: String? = nil, of type: String = "Note", as user: String = Situation.anna,
    in database: DatabaseKey = .private(owner: Situation.anna), schema: Schema? = nil
  ) throws -> StoredRecord {
    var situation = try Situation.oneNote()
    situation.stored = stored
    situation.database = database
    situation.user = user
    if let schema { situation.schema = schema }
    let operation = RecordOperation(
      kind, recordName: name, recordType: type, recordChangeTag: tag)
    let decision = situation.decide([operation])
    #expect(decision.verdicts.count == 1)
    return try #require(decision.records.first, "\(decision.verdicts)")
  }

  @Test func `a record of an earlier release keeps its tag until its next save`() throws {
    let old = try old()
    #expect(old.tag == "3" + Self.past)
    let next = try saved(.update, over: [old], tag: "3" + Self.past)
    #expect(next.tag == "4" + Self.now)
    #expect(next.revision == 4)
  }

  @Test func `each save and each deletion increases the revision by one`() throws {
    let old = try old()
    for kind in [RecordOperation.Kind.forceUpdate, .forceReplace, .forceDelete] {
      var stored = old
      stored.revision = 41
      #expect(try saved(kind, over: [stored]).revision == 42)
    }
  }

  @Test func `the first tag of a record does not depend on the changes of other records`() throws {
    var other = try old()
    for change in [3, 1_000_000] as [Int64] {
      other.change = change
      let new = try saved(.create, "new", over: [other])
      #expect(new.change == change + 1)
      #expect(new.tag == "1" + Self.now)
    }
  }

  @Test func `a record that replaces a tombstone continues its revisions`() throws {
    let tombstone = try old().tombstone(
      change: 9, modified: Stamp(timestamp: 1, userRecordName: "", deviceID: ""))
    #expect(tombstone.revision == 4)
    for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
      #expect(try saved(kind, over: [tombstone]).revision == 5)
    }
    var older = tombstone
    older.revision = 0
    #expect(try saved(.create, over: [older]).tag == "a" + Self.now)
  }

  @Test func `a tombstone of a record that the caller could not read has no effect`() throws {
    var schema = Schema()
    schema.add(SchemaAddition(recordTypes: ["Note", "Diary"], fields: []))
    schema.set(
      RecordGrants(roles: ["_icloud": .create, "_creator": [.read, .write]]), of: "Diary")
    let stamp = Stamp(timestamp: 1, userRecordName: Situation.anna, deviceID: "1")
    let tombstone = StoredRecord(
      name: "n-1", type: "Diary", change: 9, isDeleted: true, created: stamp, modified: stamp,
      parentRecordName: nil, fields: .empty, revision: 7)
    for (user, revision) in [(Situation.anna, 8), (Situation.bea, 1)] as [(String, Int64)] {
      let new = try saved(
        .create, over: [tombstone], as: user, in: .public, schema: schema)
      #expect(new.revision == revision)
    }
  }
}
