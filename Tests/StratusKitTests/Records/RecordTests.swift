import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct Records {
  private func fresh() -> CKRecord { CKRecord(recordType: "Note") }

  @Test func `a new record is in the default zone, is named by a UUID, and has no system fields`() {
    let record = fresh()
    #expect(record.recordID.zoneID == .default)
    #expect(UUID(uuidString: record.recordID.recordName) != nil)
    #expect(record.recordID.recordName == record.recordID.recordName.uppercased())
    #expect(record.recordChangeTag == nil)
    #expect(record.creationDate == nil)
    #expect(record.modificationDate == nil)
    #expect(record.creatorUserRecordID == nil)
    #expect(record.lastModifiedUserRecordID == nil)
    #expect(record.parent == nil)
    let zoned = CKRecord(recordType: "Note", zoneID: CKRecordZone.ID(zoneName: "Notes"))
    #expect(zoned.recordID.zoneID.zoneName == "Notes")
  }

  @Test func `two records with the same ID are not equal`() {
    let id = CKRecord.ID(recordName: "a")
    let record = CKRecord(recordType: "Note", recordID: id)
    #expect(record != CKRecord(recordType: "Note", recordID: id))
    #expect(record == record)
  }

  @Test
  func `a record's changed keys are the keys that changed since the last server answer`() throws {
    let record = try WireRecords.note(fields: ["a": .int64(1), "b": .int64(2)])
    #expect(record.changedKeys().isEmpty)
    record["a"] = 5
    record["b"] = nil
    record["c"] = "x"
    #expect(record.changedKeys() == ["a", "b", "c"])
    #expect(record.allKeys() == ["a", "c"])
  }

  @Test func `a key set and removed before the first save is in neither allKeys nor changedKeys`() {
    let record = fresh()
    record["a"] = 1
    record["a"] = nil
    #expect(record.allKeys().isEmpty)
    #expect(record.changedKeys().isEmpty)
  }

  @Test func `a record copies a value when the app sets it`() {
    let record = fresh()
    let text = NSMutableString(string: "before")
    let list = NSMutableArray(array: ["x"])
    record["text"] = text
    record["list"] = list
    text.append(" and after")
    list.add("y")
    #expect(record["text"] as? String == "before")
    #expect(record["list"] as? [String] == ["x"])
  }

  @Test func `a copy of a record is independent and has the pending changes`() throws {
    let record = try WireRecords.note(fields: ["a": .int64(1)])
    record["a"] = 2
    let copy = try #require(record.copy() as? CKRecord)
    copy["a"] = 3
    copy["b"] = 4
    #expect(record["a"] as? Int == 2)
    #expect(record.changedKeys() == ["a"])
    #expect(copy.changedKeys() == ["a", "b"])
    #expect(copy.recordID == record.recordID)
    #expect(copy.recordChangeTag == "tag-1")
  }

  @Test func `a record's field returns each kind of value unchanged`() {
    let record = fresh()
    record["int8"] = Int8(-1)
    record["uint64"] = UInt64.max
    record["float"] = Float(1.5)
    record["flag"] = true
    record["numbers"] = [1, 2, 3]
    record["dates"] = [Date(timeIntervalSince1970: 1)]
    record["flags"] = [true, false]
    record["none"] = [String]()
    #expect(record["int8"] as? Int == -1)
    #expect(record["uint64"] as? UInt64 == .max)
    #expect(record["float"] as? Double == 1.5)
    #expect(record["flag"] as? Bool == true)
    #expect(record["numbers"] as? [Int] == [1, 2, 3])
    #expect(record["dates"] as? [Date] == [Date(timeIntervalSince1970: 1)])
    #expect(record["flags"] as? [Bool] == [true, false])
    #expect(record["none"] as? [String] == [])
    #expect(record["int8"] is NSNumber)
    #expect(record["numbers"] is NSArray)
  }

  @Test func `a value that no field can hold is refused`() {
    #expect(StoredValues.make(from: NSNull()) == nil)
    #expect(StoredValues.make(from: ["a": 1]) == nil)
    #expect(StoredValues.make(from: [["nested"]]) == nil)
    #expect(StoredValues.make(from: NSArray(array: ["text", 1])) == nil)
    #expect(StoredValues.make(from: NSArray(array: [1, 2.5])) != nil)
  }

  @Test
  func `an unsupported value, an empty name and a parent with an action are fatal errors`() async {
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "Note").setValue(NSNull(), forKey: "a")
    }
    await #expect(processExitsWith: .failure) { _ = CKRecord.ID(recordName: "") }
    await #expect(processExitsWith: .failure) { _ = CKRecord(recordType: "") }
    await #expect(processExitsWith: .failure) { _ = CKRecordZone(zoneName: "") }
    await #expect(processExitsWith: .failure) {
      let target = CKRecord(recordType: "Note")
      CKRecord(recordType: "Note").parent = CKRecord.Reference(record: target, action: .deleteSelf)
    }
  }

  @Test func `allTokens returns the words of the text fields without capitals and accents`() {
    let record = fresh()
    record["a"] = "Crème  Brûlée\nnow"
    record["b"] = 5
    #expect(record.allTokens() == ["creme", "brulee", "now"])
  }

  @Test func `the names of system fields equal Apple's names`() {
    #expect(CKRecord.SystemFieldKey.recordID == "___recordID")
    #expect(CKRecord.SystemFieldKey.creationDate == "___createTime")
    #expect(CKRecord.SystemFieldKey.modificationDate == "___modTime")
    #expect(CKRecord.SystemFieldKey.creatorUserRecordID == "___createdBy")
    #expect(CKRecord.SystemFieldKey.lastModifiedUserRecordID == "___modifiedBy")
    #expect(CKRecordParentKey == "___parent")
    #expect(CKRecordShareKey == "___share")
    #expect(CKRecordTypeUserRecord == "Users")
    #expect(CKRecord.SystemType.share == "cloudkit.share")
    #expect(CKOwnerDefaultName == "__defaultOwner__")
    #expect(CKRecord.ReferenceAction.deleteSelf.rawValue == 1)
  }

  @Test func `record IDs and references compare by value`() {
    let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
    #expect(id == CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes")))
    #expect(id != CKRecord.ID(recordName: "a"))
    #expect(id != CKRecord.ID(recordName: "b", zoneID: id.zoneID))
    #expect(Set([id, CKRecord.ID(recordName: "a", zoneID: id.zoneID)]).count == 1)
    let reference = CKRecord.Reference(recordID: id, action: .none)
    #expect(reference == CKRecord.Reference(recordID: id, action: .none))
    #expect(reference != CKRecord.Reference(recordID: id, action: .deleteSelf))
    #expect(reference.hash == CKRecord.Reference(recordID: id, action: .none).hash)
  }
}
