import StratusDomain
import StratusWire
import Testing

@Suite struct `Derived rows` {
  /// The two look alike and are not one.
  private static let names = ["é", "e\u{301}"]

  @Test func `names that look alike are two`() {
    #expect(
      Set(Self.names.map { IndexEntry(index: 1, value: [1], recordName: $0) }).count == 2)
    #expect(Set(Self.names.map { RecordLink(kind: .parent, target: $0, source: "r") }).count == 2)
    #expect(Set(Self.names.map { RecordLink(kind: .parent, target: "r", source: $0) }).count == 2)
    #expect(Set(Self.names.map { AssetHold(checksum: [1], recordName: $0) }).count == 2)
    #expect(
      Set(Self.names.map { EntryPosition(value: [1], zone: 1, recordName: $0) }).count == 2)
  }

  @Test func `a parent that looks like the one before is another`() throws {
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
