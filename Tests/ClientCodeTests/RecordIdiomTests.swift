import CloudKit
import CoreLocation
import Testing

/// Record code in the form that apps use.
@Suite struct RecordIdioms {
  private func note() -> CKRecord { CKRecord(recordType: "Note") }

  @Test func `a cast of a record's field gives the requested type`() {
    let record = note()
    record["title"] = "Groceries"
    record["count"] = 5
    record["price"] = 2.5
    record["due"] = Date(timeIntervalSince1970: 1000)
    record["blob"] = Data([1, 2])
    record["tags"] = ["a", "b"]
    record["done"] = true
    #expect(record["title"] as? String == "Groceries")
    #expect(record["count"] as? Int == 5)
    #expect(record["count"] as? Int64 == 5)
    #expect(record["count"] as? Double == 5)
    #expect(record["count"] as? NSNumber == 5)
    #expect(record["price"] as? Double == 2.5)
    #expect(record["due"] as? Date == Date(timeIntervalSince1970: 1000))
    #expect(record["blob"] as? Data == Data([1, 2]))
    #expect(record["tags"] as? [String] == ["a", "b"])
    #expect(record["done"] as? Bool == true)
    #expect(record["title"] as? Int == nil)
    #expect(record["title"] as! String == "Groceries")
  }

  @Test func `the generic subscript gives nil for a value of another type`() {
    let record = note()
    record["title"] = "Groceries"
    record["price"] = 2.5
    let number: Int64? = record["title"]
    let title: String? = record["title"]
    let whole: Int? = record["price"]
    let absent: String? = record["absent"]
    #expect(number == nil)
    #expect(title == "Groceries")
    #expect(whole == nil)
    #expect(absent == nil)
  }

  @Test func `field values can be set in all usual ways`() {
    let record = note()
    record["n"] = 5 as CKRecordValue
    record["s"] = "text" as CKRecordValue
    record["o"] = "text" as NSString
    record["d"] = NSDate(timeIntervalSince1970: 0)
    record["w"] = ["x"] as CKRecordValue
    let optional: String? = "there"
    record["p"] = optional
    record.setObject("set" as NSString, forKey: "object")
    record.setObject(7 as CKRecordValue, forKey: "number")
    record.setObject(nil, forKey: "nothing")
    record.setValue("kvc", forKey: "kvc")
    record.setValue(3, forKey: "kvcNumber")
    #expect(record["n"] as? Int == 5)
    #expect(record["s"] as? String == "text")
    #expect(record["o"] as? String == "text")
    #expect(record["d"] as? Date == Date(timeIntervalSince1970: 0))
    #expect(record["w"] as? [String] == ["x"])
    #expect(record["p"] as? String == "there")
    #expect(record.object(forKey: "object") as? String == "set")
    #expect(record.object(forKey: "number") as? Int == 7)
    #expect(record.value(forKey: "kvc") as? String == "kvc")
    #expect(record.value(forKey: "kvcNumber") as? Int == 3)
    #expect(record.value(forKey: "recordID") as? CKRecord.ID == record.recordID)
    record["n"] = nil
    #expect(record["n"] == nil)
    #expect(!record.allKeys().contains("n"))
  }

  @Test func `an app can iterate over the fields of a record`() {
    let record = note()
    record["a"] = "x"
    record["b"] = 2
    var seen: [String: Any] = [:]
    for (key, value) in record { seen[key] = value }
    #expect(seen.count == 2)
    #expect(seen["a"] as? String == "x")
    #expect(seen["b"] as? Int == 2)
  }

  @Test func `a record ID's initializer can be used as a function`() {
    let ids = ["a", "b"].map(CKRecord.ID.init(recordName:))
    #expect(ids == [CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b")])
    #expect(Set(ids).contains(CKRecord.ID(recordName: "b")))
  }

  @Test func `locations and references can be field values`() {
    let record = note()
    let target = CKRecord(recordType: "Folder")
    record["place"] = CLLocation(latitude: 52.5, longitude: 13.4)
    record["folder"] = CKRecord.Reference(record: target, action: .deleteSelf)
    record["others"] = [CKRecord.Reference(recordID: target.recordID, action: .none)]
    #expect((record["place"] as? CLLocation)?.coordinate.latitude == 52.5)
    #expect((record["folder"] as? CKRecord.Reference)?.recordID == target.recordID)
    let others = record["others"] as? [CKRecord.Reference]
    #expect(others?.first?.action == CKRecord.Reference.Action.none)
  }

  @Test func `system fields can be archived and restored in the form that apps use`() throws {
    let record = CKRecord(
      recordType: "Note",
      recordID: CKRecord.ID(recordName: "n", zoneID: CKRecordZone.ID(zoneName: "Notes")))
    record["title"] = "not a system field"
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    let read = try #require(CKRecord(coder: unarchiver))
    unarchiver.finishDecoding()
    #expect(read.recordID == record.recordID)
    #expect(read.recordType == "Note")
    #expect(read.allKeys().isEmpty)
    #expect(read.changedKeys().isEmpty)
  }

  @Test func `an app can use the record value protocols as types`() {
    #expect(describe("x") == "value")
    let record: CKRecordKeyValueSetting = note()
    record["a"] = 1
    #expect(record.changedKeys() == ["a"])
  }

  private func describe(_ value: CKRecordValueProtocol) -> String { "value" }

  @Test func `records and IDs can be passed between tasks`() async {
    let record = note()
    let id = record.recordID
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask { record["k\(number)"] = number }
      }
    }
    let name = await Task.detached { id.recordName }.value
    #expect(record.allKeys().count == 50)
    #expect(name == id.recordName)
  }
}
