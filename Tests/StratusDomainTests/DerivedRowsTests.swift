import StratusDomain
import StratusWire
import Testing

@Suite struct `Derived rows` {
  /// Two names that look alike but have different bytes.
  private static let names = ["é", "e\u{301}"]

  @Test func `names that look alike have separate derived rows`() {
    #expect(Set(Self.names.map { RecordLink(kind: .parent, target: $0, source: "r") }).count == 2)
    #expect(Set(Self.names.map { RecordLink(kind: .parent, target: "r", source: $0) }).count == 2)
    #expect(Set(Self.names.map { AssetHold(checksum: [1], recordName: $0) }).count == 2)
  }

  @Test
  func `derived rows are computed without decoding fields that no index, link or file needs`()
    throws
  {
    var schema = Schema()
    schema.add(
      SchemaAddition(
        recordTypes: ["Note"],
        fields: [
          .init(recordType: "Note", name: "title", type: FieldType(.string)),
          .init(recordType: "Note", name: "tags", type: FieldType(.string, isList: true)),
          .init(recordType: "Note", name: "count", type: FieldType(.int64)),
          .init(recordType: "Note", name: "owner", type: FieldType(.reference)),
        ]))
    // The field `count` cannot be decoded, so code that reads it fails.
    let fields = """
      {"count":{"value":"?","type":"NOTHING"},"title":{"value":"One two","type":"STRING"},\
      "tags":{"value":["three"],"type":"STRING_LIST"},"owner":{"value":{"recordName":"o",\
      "action":"DELETE_SELF"},"type":"REFERENCE"}}
      """
    let record = StoredRecord(
      name: "r", type: "Note", change: 1, isDeleted: false,
      created: Stamp(timestamp: 0, userRecordName: "_a", deviceID: ""),
      modified: Stamp(timestamp: 0, userRecordName: "_a", deviceID: ""),
      parentRecordName: nil, fields: FieldsJSON(text: Array(fields.utf8)))
    let rows = try DerivedRows(of: record, schema: schema)
    #expect(rows.links.map(\.target) == ["o"])
    var indexes = [
      QueryIndex(
        id: 1, recordType: "Note", columns: [IndexColumn(.searchableFields, .token)],
        isReady: true),
      QueryIndex(
        id: 2, recordType: "Note", columns: [IndexColumn(.field("title"))],
        isReady: true),
    ]
    let indexed = try DerivedRows(
      of: record, schema: Schema(recordTypes: schema.recordTypes, indexes: indexes))
    #expect(indexed.links.map(\.target) == ["o"])
    #expect(indexed.entries.count { $0.index == 1 } == 3)
    #expect(indexed.entries.count { $0.index == 2 } == 1)
    indexes.append(
      QueryIndex(
        id: 3, recordType: "Note", columns: [IndexColumn(.field("count"))],
        isReady: true))
    let all = Schema(recordTypes: schema.recordTypes, indexes: indexes)
    #expect(throws: ServerError.self) { try DerivedRows(of: record, schema: all) }
  }

  @Test func `a new parent is stored even if its name looks like the old parent's name`() throws {
    let states = Self.names.map { parent in
      StoredRecord(
        name: "r", type: "Note", change: 1, isDeleted: false,
        created: Stamp(timestamp: 0, userRecordName: "_a", deviceID: ""),
        modified: Stamp(timestamp: 0, userRecordName: "_a", deviceID: ""),
        parentRecordName: parent, fields: .empty)
    }
    var rows = RowChanges()
    try rows.note(states[1], replacing: states[0], schema: Schema())
    #expect(rows.removed.links.map { Array($0.target.utf8) } == [Array("é".utf8)])
    #expect(rows.added.links.map { Array($0.target.utf8) } == [Array("e\u{301}".utf8)])
  }
}
