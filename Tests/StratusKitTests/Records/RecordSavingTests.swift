import CoreLocation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct RecordSaving {
  private func fetched() throws -> CKRecord {
    try WireRecords.note(fields: ["a": .int64(1), "b": .string("two")])
  }

  private func fields(_ record: CKRecord) throws(CKError) -> String {
    try record.prepareSave(policy: .ifServerRecordUnchanged).operation.fieldsText
  }

  @Test
  func `with the default policy, a record without a change tag is created with all its fields`()
    throws
  {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "note-1"))
    record["a"] = 1
    let operation = try record.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(operation.kind == .create)
    #expect(operation.recordName == "note-1")
    #expect(operation.recordType == "Note")
    #expect(operation.recordChangeTag == nil)
    #expect(operation.fieldsText == #"{"a":{"value":1,"type":"INT64"}}"#)
    #expect(operation.parent == .unchanged)
  }

  @Test
  func `with the default policy, only the changed fields of a record with a change tag are sent`()
    throws
  {
    let record = try fetched()
    record["a"] = nil
    record["c"] = "new"
    let operation = try record.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(operation.kind == .update)
    #expect(operation.recordChangeTag == "tag-1")
    #expect(
      operation.fieldsText == #"{"a":{"value":null},"c":{"value":"new","type":"STRING"}}"#)
  }

  @Test func `the policy changedKeys forces an update without a change tag`() throws {
    let record = try fetched()
    record["c"] = "new"
    let operation = try record.prepareSave(policy: .changedKeys).operation
    #expect(operation.kind == .forceUpdate)
    #expect(operation.recordChangeTag == nil)
    #expect(operation.fieldsText == #"{"c":{"value":"new","type":"STRING"}}"#)
  }

  @Test func `the policy allKeys forces an update with every key of the local record`() throws {
    let record = try fetched()
    record["a"] = nil
    let operation = try record.prepareSave(policy: .allKeys).operation
    #expect(operation.kind == .forceUpdate)
    #expect(
      operation.fieldsText == #"{"a":{"value":null},"b":{"value":"two","type":"STRING"}}"#)
  }

  @Test func `each kind of value is sent with its type`() throws {
    let record = try WireRecords.note()
    let zone = record.recordID.zoneID
    record["blob"] = Data([0, 255])
    record["date"] = Date(timeIntervalSince1970: 1.0006)
    record["flag"] = true
    record["mixed"] = NSArray(array: [1, 2.5])
    record["none"] = [String]()
    record["price"] = 2.0
    record["ref"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "f", zoneID: zone), action: .deleteSelf)
    record["tags"] = ["a", "b"]
    #expect(
      try fields(record) == #"{"blob":{"value":"AP8=","type":"BYTES"},"#
        + #""date":{"value":1001,"type":"TIMESTAMP","referenceSeconds":-978307198.9994},"#
        + #""flag":{"value":1,"type":"INT64"},"#
        + #""mixed":{"value":[1,2.5],"type":"DOUBLE_LIST"},"#
        + #""none":{"value":[],"type":"UNKNOWN_LIST"},"price":{"value":2,"type":"DOUBLE"},"#
        + #""ref":{"value":{"recordName":"f","action":"DELETE_SELF"},"type":"REFERENCE"},"#
        + #""tags":{"value":["a","b"],"type":"STRING_LIST"}}"#)
  }

  @Test func `a reference to another zone's record names that zone`() throws {
    let record = try WireRecords.note()
    record["ref"] = CKRecord.Reference(
      recordID: CKRecord.ID(
        recordName: "f", zoneID: CKRecordZone.ID(zoneName: "Other", ownerName: "_you")),
      action: .none)
    #expect(try fields(record).contains(#""zoneID":{"zoneName":"Other","ownerRecordName":"_you""#))
  }

  @Test func `a location is sent with its timestamp and all its properties`() throws {
    let record = try WireRecords.note()
    record["place"] = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 52.5, longitude: -13.25), altitude: 30,
      horizontalAccuracy: 5, verticalAccuracy: -1, course: 90, speed: 1.5,
      timestamp: Date(timeIntervalSince1970: 2))
    #expect(
      try fields(record) == #"{"place":{"value":{"latitude":52.5,"longitude":-13.25,"#
        + #""horizontalAccuracy":5,"verticalAccuracy":-1,"altitude":30,"speed":1.5,"#
        + #""course":90,"timestamp":2000},"type":"LOCATION"}}"#)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is an invalid argument`(number: Double) throws {
    let record = CKRecord(recordType: "Note")
    record["n"] = number
    #expect(throws: CKError.self) { try fields(record) }
    record["n"] = [1, number]
    #expect(throws: CKError.self) { try fields(record) }
    record["n"] = Date(timeIntervalSince1970: number)
    #expect(throws: CKError.self) { try fields(record) }
    record["n"] = CLLocation(latitude: number, longitude: 0)
    do throws(CKError) {
      _ = try fields(record)
      Issue.record("the save must be refused")
    } catch {
      #expect(error.code == .invalidArguments)
    }
  }

  @Test(arguments: [
    "", "_hidden", "1st", "with space", "a.b", "ä", String(repeating: "a", count: 256),
  ])
  func `an illegal field name is an invalid argument`(name: String) throws {
    let record = CKRecord(recordType: "Note")
    record[name] = 1
    do throws(CKError) {
      _ = try fields(record)
      Issue.record("the save must be refused")
    } catch {
      #expect(error.code == .invalidArguments)
    }
  }

  @Test
  func `record names that are too long and numbers that are too large are invalid arguments`()
    throws
  {
    let long = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: String(repeating: "n", count: 256)))
    #expect(throws: CKError.self) { try fields(long) }
    let large = CKRecord(recordType: "Note")
    large["n"] = UInt64.max
    #expect(throws: CKError.self) { try fields(large) }
    large["n"] = UInt64(Int64.max)
    #expect(try fields(large) == #"{"n":{"value":9223372036854775807,"type":"INT64"}}"#)
  }

  @Test
  func `a save sends a record's parent only if the app has set or removed the parent`() throws {
    let record = try WireRecords.note(parent: "p")
    #expect(try record.prepareSave(policy: .changedKeys).operation.parent == .unchanged)
    record.setParent(CKRecord.ID(recordName: "q", zoneID: record.recordID.zoneID))
    #expect(
      try record.prepareSave(policy: .changedKeys).operation.parent == .set(recordName: "q"))
    record.parent = nil
    #expect(try record.prepareSave(policy: .changedKeys).operation.parent == .removed)
    record.setParent(CKRecord.ID(recordName: "elsewhere"))
    #expect(throws: CKError.self) { try record.prepareSave(policy: .changedKeys) }
  }

  @Test func `a successful save clears the changes and sets the new system fields`() throws {
    let record = try fetched()
    record["a"] = 5
    record.setParent(CKRecord.ID(recordName: "p", zoneID: record.recordID.zoneID))
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    #expect(record.changedKeys() == ["a"])
    record.adoptSaved(
      WireRecords.dictionary(tag: "tag-2", parent: "p"), of: save, naming: WireRecords.naming)
    #expect(record.changedKeys().isEmpty)
    #expect(record.recordChangeTag == "tag-2")
    #expect(record["a"] as? Int == 5)
    #expect(record.ancestor?["a"] as? Int == 5)
    #expect(try record.prepareSave(policy: .changedKeys).operation.parent == .unchanged)
  }

  @Test func `a value that is set during a save stays a pending change`() throws {
    let record = try fetched()
    record["a"] = 5
    record["b"] = "sent"
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    record["b"] = "later"
    record["c"] = "later too"
    record.adoptSaved(WireRecords.dictionary(tag: "tag-2"), of: save, naming: WireRecords.naming)
    #expect(record.changedKeys() == ["b", "c"])
    #expect(record["b"] as? String == "later")
    #expect(record.ancestor?["b"] as? String == "sent")
    #expect(record.ancestor?["c"] == nil)
  }

  @Test
  func `a field that is removed during its first save is sent as removed in the next save`() throws
  {
    let record = CKRecord(recordType: "Note")
    record["a"] = 1
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    record["a"] = nil
    record.adoptSaved(WireRecords.dictionary(), of: save, naming: WireRecords.naming)
    #expect(record.changedKeys() == ["a"])
    #expect(try fields(record) == #"{"a":{"value":null}}"#)
  }

  @Test func `the ancestor of a conflict has the last known server values`() throws {
    let record = try fetched()
    record["a"] = 5
    record["b"] = nil
    record["c"] = 1
    record["a"] = 6
    let ancestor = try #require(record.ancestor)
    #expect(ancestor["a"] as? Int == 1)
    #expect(ancestor["b"] as? String == "two")
    #expect(ancestor["c"] == nil)
    #expect(ancestor.changedKeys().isEmpty)
    #expect(ancestor.recordChangeTag == "tag-1")
    #expect(record["a"] as? Int == 6)
    #expect(CKRecord(recordType: "Note").ancestor == nil)
  }

  @Test func `an empty list does not set the type of a new field`() throws {
    let record = CKRecord(recordType: "Note")
    record["none"] = [String]()
    let json = try record.prepareSave(policy: .changedKeys).operation.fields
    let input = try #require(try FieldInput.all(in: json).first)
    #expect(try input.decode(schemaType: nil) == nil)
    #expect(
      try input.decode(schemaType: FieldType(.bytes, isList: true)) == .list(.bytes, []))
    #expect(throws: WireError.self) { try input.decode(schemaType: FieldType(.string)) }
  }
}
