import CoreLocation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct RecordReading {
  @Test func `a value of each field type decodes to the matching kind of object`() throws {
    var place = Location(latitude: 1, longitude: 2)
    place.altitude = 3
    place.timestamp = 4000
    let record = try WireRecords.note(fields: [
      "text": .string("x"), "whole": .int64(5), "part": .double(2.5), "time": .timestamp(1500),
      "bytes": .bytes([1, 2]), "place": .location(place),
      "ref": .reference(Reference(recordName: "f", action: .deleteSelf)),
      "checked": .reference(Reference(recordName: "v", action: .validate)),
      "list": .list(.int64, [.int64(1), .int64(2)]), "empty": .list(.string, []),
    ])
    #expect(record["text"] as? String == "x")
    #expect(record["whole"] as? Int64 == 5)
    #expect(record["part"] as? Double == 2.5)
    #expect(record["time"] as? Date == Date(timeIntervalSince1970: 1.5))
    #expect(record["bytes"] as? Data == Data([1, 2]))
    #expect(record["list"] as? [Int] == [1, 2])
    #expect(record["empty"] as? [String] == [])
    let location = try #require(record["place"] as? CLLocation)
    #expect(location.altitude == 3)
    #expect(location.timestamp == Date(timeIntervalSince1970: 4))
    #expect(location.course == -1)
    let reference = try #require(record["ref"] as? CKRecord.Reference)
    #expect(reference.recordID == CKRecord.ID(recordName: "f", zoneID: record.recordID.zoneID))
    #expect(reference.action == .deleteSelf)
    #expect((record["checked"] as? CKRecord.Reference)?.action == CKRecord.Reference.Action.none)
    #expect(record.changedKeys().isEmpty)
  }

  @Test
  func `a record's system fields come from the answer, and the current user has a default name`()
    throws
  {
    let record = try WireRecords.note(parent: "p")
    #expect(record.recordType == "Note")
    #expect(
      record.recordID
        == CKRecord.ID(recordName: "note-1", zoneID: CKRecordZone.ID(zoneName: "Notes")))
    #expect(record.recordChangeTag == "tag-1")
    #expect(record.creationDate == Date(timeIntervalSince1970: 1.5))
    #expect(record.modificationDate == Date(timeIntervalSince1970: 2.25))
    #expect(record.creatorUserRecordID == CKRecord.ID(recordName: CKCurrentUserDefaultName))
    #expect(record.lastModifiedUserRecordID == CKRecord.ID(recordName: "_you"))
    #expect(
      record.parent?.recordID == CKRecord.ID(recordName: "p", zoneID: record.recordID.zoneID))
  }

  @Test func `a fetched reference into another zone keeps that zone`() throws {
    let zone = ZoneID(zoneName: "Other", ownerRecordName: "_you")
    let record = try WireRecords.note(fields: [
      "ref": .reference(Reference(recordName: "f", zoneID: zone))
    ])
    let reference = try #require(record["ref"] as? CKRecord.Reference)
    #expect(reference.recordID.zoneID == CKRecordZone.ID(zoneName: "Other", ownerName: "_you"))
  }

  @Test func `a record that cannot be decoded gives an internal error`() {
    var wire = WireRecords.dictionary()
    wire.fields = FieldsJSON(text: Array(#"{"a":{"value":1,"type":"COLOUR"}}"#.utf8))
    do throws(CKError) {
      _ = try RecordFactory.record(wire: wire, naming: WireRecords.naming)
      Issue.record("the answer must be refused")
    } catch {
      #expect(error.code == .internalError)
    }
  }
}
