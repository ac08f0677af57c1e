import CoreLocation
import StratusWire
import Testing

@testable import StratusKit

/// Archives that this framework writes and reads.
@Suite struct Archives {
  private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  private func systemFieldsOnly(_ record: CKRecord) throws -> CKRecord {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    return try #require(CKRecord(coder: unarchiver))
  }

  @Test func `IDs, references, change tokens and zones survive archiving`() throws {
    let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: "_you")
    let id = CKRecord.ID(recordName: "n", zoneID: zone)
    let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
    #expect(try roundTrip(zone) == zone)
    #expect(try roundTrip(id) == id)
    #expect(try roundTrip(reference) == reference)
    #expect(try roundTrip(CKServerChangeToken(syncToken: "t")).syncToken == "t")
    let custom = CKRecordZone(
      wire: ZoneDictionary(zoneID: ZoneID(zoneName: "Notes")),
      naming: UserNaming(currentUserRecordName: nil))
    #expect(try roundTrip(custom).zoneID == custom.zoneID)
    #expect(try roundTrip(custom).capabilities == custom.capabilities)
  }

  @Test func `an archived record keeps its values, its pending changes and its server fields`()
    throws
  {
    let record = try WireRecords.note(fields: ["title": .string("old"), "count": .int64(1)])
    record["title"] = "new"
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["folder"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "f", zoneID: record.recordID.zoneID), action: .none)
    record["tags"] = ["a", "b"]
    record["due"] = Date(timeIntervalSince1970: 12)
    record["blob"] = Data([0, 255])
    record["price"] = 2.5
    record["count"] = nil
    record.setParent(CKRecord.ID(recordName: "p", zoneID: record.recordID.zoneID))
    let read = try roundTrip(record)
    #expect(read.recordID == record.recordID)
    #expect(read.recordChangeTag == "tag-1")
    #expect(read.creationDate == Date(timeIntervalSince1970: 1.5))
    #expect(read.modificationDate == Date(timeIntervalSince1970: 2.25))
    #expect(read.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(read.lastModifiedUserRecordID?.recordName == "_you")
    #expect(read.allKeys() == record.allKeys())
    #expect(read.changedKeys() == record.changedKeys())
    #expect(read["title"] as? String == "new")
    #expect((read["place"] as? CLLocation)?.coordinate.longitude == 2)
    #expect((read["folder"] as? CKRecord.Reference)?.recordID.recordName == "f")
    #expect(read["tags"] as? [String] == ["a", "b"])
    #expect(read["due"] as? Date == Date(timeIntervalSince1970: 12))
    #expect(read["blob"] as? Data == Data([0, 255]))
    #expect(read["price"] as? Double == 2.5)
    #expect(read.parent?.recordID.recordName == "p")
    #expect(read.ancestor?["title"] as? String == "old")
    #expect(read.ancestor?["count"] as? Int == 1)
    #expect(read.ancestor?.parent == nil)
    let save = try read.prepareSave(policy: .ifServerRecordUnchanged)
    #expect(save.operation.parent == .set(recordName: "p"))
  }

  @Test func `a record restored from archived system fields is saved with its change tag`() throws {
    let record = try WireRecords.note(fields: ["title": .string("old")], parent: "p")
    record["title"] = "new"
    let read = try systemFieldsOnly(record)
    #expect(read.allKeys().isEmpty)
    #expect(read.changedKeys().isEmpty)
    #expect(read.recordChangeTag == "tag-1")
    #expect(read.recordType == "Note")
    #expect(read.parent?.recordID.recordName == "p")
    #expect(read.modificationDate == record.modificationDate)
    read["title"] = "newest"
    let operation = try read.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(operation.kind == .update)
    #expect(operation.recordChangeTag == "tag-1")
    #expect(operation.parent == .unchanged)
  }

  @Test func `archived records, archived system fields, copies and ancestors keep the share`()
    throws
  {
    let record = try RecordFactory.record(
      wire: WireRecords.dictionary(share: "Share-1", shortGUID: "0NEa3AEPXwK71VM4gHFnvh2kw"),
      naming: WireRecords.naming)
    record["title"] = "new"
    let share = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "Share-1", zoneID: record.recordID.zoneID), action: .none)
    #expect(record.share == share)
    let copies: [CKRecord?] = [
      try roundTrip(record), try systemFieldsOnly(record), record.copy() as? CKRecord,
      record.ancestor,
    ]
    for copy in copies {
      #expect(copy?.share == share)
      #expect(copy?.value(forKey: "share") as? CKRecord.Reference == share)
      #expect(copy?.withState { $0.system.shortGUID } == "0NEa3AEPXwK71VM4gHFnvh2kw")
    }
    #expect(try WireRecords.note().share == nil)
  }

  @Test
  func `a record loses its share when the server's answer no longer contains a share`() throws {
    let record = try RecordFactory.record(
      wire: WireRecords.dictionary(share: "Share-1", shortGUID: "G"), naming: WireRecords.naming)
    record["title"] = "new"
    let save = try record.prepareSave(policy: .changedKeys)
    record.adoptSaved(WireRecords.dictionary(tag: "tag-2"), of: save, naming: WireRecords.naming)
    #expect(record.share == nil)
    #expect(record.recordChangeTag == "tag-2")
  }

  @Test func `a share that the server sends is a record of the share type`() throws {
    var wire = WireRecords.dictionary(fields: ["cloudkit.title": .string("List")])
    wire.recordType = CKRecord.SystemType.share
    let share = try RecordFactory.record(wire: wire, naming: WireRecords.naming)
    #expect(share.recordType == "cloudkit.share")
    #expect(share["cloudkit.title"] as? String == "List")
    let read = try roundTrip(share)
    #expect(type(of: read) == type(of: share))
  }

  @Test func `an array of IDs survives archiving`() throws {
    let id = CKRecord.ID(recordName: "n")
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: [id, id]), requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, CKRecord.ID.self], from: data)
    #expect(read as? [CKRecord.ID] == [id, id])
  }

  @Test func `a dictionary of values and IDs survives archiving`() throws {
    let id = CKRecord.ID(recordName: "n")
    let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
    let dictionary: NSDictionary = [
      "id" as NSString: id, "reference" as NSString: reference, "number" as NSString: NSNumber(5),
    ]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: dictionary, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [
          NSDictionary.self, NSString.self, NSNumber.self, CKRecord.ID.self,
          CKRecord.Reference.self,
        ], from: data) as? NSDictionary)
    #expect(read.count == 3)
    #expect(read["id"] as? CKRecord.ID == id)
    #expect(read["reference"] as? CKRecord.Reference == reference)
    #expect(read["number"] as? Int == 5)
  }

  @Test func `an archive without a required key decodes to nil`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(CKRecord(coder: unarchiver) == nil)
    #expect(CKRecord.ID(coder: unarchiver) == nil)
    #expect(CKRecordZone.ID(coder: unarchiver) == nil)
    #expect(CKRecordZone(coder: unarchiver) == nil)
    #expect(CKRecord.Reference(coder: unarchiver) == nil)
    #expect(CKServerChangeToken(coder: unarchiver) == nil)
    #expect(CLLocation(coder: unarchiver) == nil)
  }
}

/// Archives in the layout that Apple's framework writes; see ``AppleArchives``.
@Suite struct AppleArchiveReading {
  private func data(_ base64: String) throws -> Data { try #require(Data(base64Encoded: base64)) }

  @Test func `an Apple archive of a whole record can be read`() throws {
    let record = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKRecord.self, from: data(AppleArchives.record)))
    try expectSystemFields(record)
    #expect(
      record.allKeys() == ["author", "blob", "count", "due", "photo", "tags", "title", "weight"])
    #expect(record.changedKeys() == ["title"])
    #expect(record["title"] as? String == "Groceries")
    #expect(record["count"] as? Int == 7)
    #expect(record["weight"] as? Double == 2.5)
    #expect(record["due"] as? Date == Date(timeIntervalSinceReferenceDate: 600_000_120))
    #expect(record["blob"] as? Data == Data([0, 255]))
    #expect(record["tags"] as? [String] == ["a", "b"])
    let author = try #require(record["author"] as? CKRecord.Reference)
    #expect(author.recordID.recordName == "author-1")
    let photo = try #require(record["photo"] as? CKAsset)
    #expect(photo.fileURL == nil)
    #expect(author.action == .deleteSelf)
    #expect(record.ancestor?["title"] as? String == "Old title")
  }

  @Test func `an Apple archive of system fields can be read`() throws {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data(AppleArchives.systemFields))
    unarchiver.requiresSecureCoding = true
    let record = try #require(CKRecord(coder: unarchiver))
    try expectSystemFields(record)
    #expect(record.allKeys().isEmpty)
    #expect(record.changedKeys().isEmpty)
  }

  private func expectSystemFields(_ record: CKRecord) throws {
    #expect(record.recordType == "Note")
    #expect(record.recordID.recordName == "note-1")
    #expect(record.recordID.zoneID == CKRecordZone.ID(zoneName: "Notes"))
    #expect(record.recordChangeTag == "k1x9")
    #expect(record.creationDate == Date(timeIntervalSinceReferenceDate: 600_000_000))
    #expect(record.modificationDate == Date(timeIntervalSinceReferenceDate: 600_000_060.5))
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.parent?.recordID.recordName == "folder")
    #expect(record.parent?.action == CKRecord.ReferenceAction.none)
  }

  @Test func `the share reference is read from the key that Apple uses`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    archiver.encode("Note" as NSString, forKey: "RecordType")
    archiver.encode(CKRecord.ID(recordName: "note-1", zoneID: zoneID), forKey: "RecordID")
    let share = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "Share-1", zoneID: zoneID), action: .none)
    archiver.encode(share, forKey: "ShareReference")
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    #expect(CKRecord(coder: unarchiver)?.share == share)
  }

  @Test func `an Apple archive of a change token can be read`() throws {
    let token = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKServerChangeToken.self, from: data(AppleArchives.token)))
    #expect(token.syncToken == "CAEQ//4A")
  }

  @Test func `an Apple archive of a record ID can be read`() throws {
    let id = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKRecord.ID.self, from: data(AppleArchives.recordID)))
    #expect(id.recordName == "note-1")
    #expect(id.zoneID.ownerName == "_0123456789abcdef0123456789abcdef")
  }
}
