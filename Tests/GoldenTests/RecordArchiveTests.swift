import Foundation
import StratusFoundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `Archived records from the last release before sharing` {
  private func record(_ name: String) throws -> CKRecord {
    try GoldenFiles.object(name, of: CKRecord.self)
  }

  private func systemFields(_ name: String) throws -> CKRecord {
    let coder = try NSKeyedUnarchiver(forReadingFrom: GoldenFiles.archive(name))
    coder.requiresSecureCoding = true
    return try #require(CKRecord(coder: coder))
  }

  private func expectSaved(_ record: CKRecord, parent: String? = "folder-1") throws {
    #expect(record.recordType == "All")
    #expect(record.recordID == GoldenFiles.id("all-1"))
    #expect(record.recordChangeTag == (try GoldenFiles.text("changeTag.Notes.all-1")))
    // The record was saved one minute after the start of the server.
    let time = GoldenFiles.start.addingTimeInterval(60)
    #expect(record.creationDate == time)
    #expect(record.modificationDate == time)
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.parent?.recordID == parent.map { GoldenFiles.id($0) })
  }

  @Test
  func `an archived record that was never saved has every value as a pending change`() throws {
    let record = try record("record-unsaved")
    #expect(record.recordType == "All")
    #expect(record.recordID == GoldenFiles.id("unsaved-1"))
    #expect(record.recordChangeTag == nil)
    #expect(record.creationDate == nil)
    #expect(record.parent?.recordID == GoldenFiles.id("folder-1"))
    #expect(Set(record.allKeys()) == GoldenValues.fieldNames)
    #expect(Set(record.changedKeys()) == GoldenValues.fieldNames)
    GoldenValues.expectFields(of: record, isWhole: true)
    GoldenValues.expectSecrets(of: record, isWhole: true)
    #expect((record["photo"] as? CKAsset)?.fileURL?.path == "/golden/photo.bin")
    #expect((record["photos"] as? [CKAsset])?.map(\.fileURL?.path) == ["/golden/one.bin"])
  }

  @Test
  func `archived system fields of an unsaved record have its parent and no change tag`() throws {
    let record = try systemFields("record-unsaved-system-fields")
    #expect(record.recordID == GoldenFiles.id("unsaved-1"))
    #expect(record.recordChangeTag == nil)
    #expect(record.parent?.recordID == GoldenFiles.id("folder-1"))
    #expect(record.allKeys() == [])
  }

  @Test(arguments: ["early", "late"])
  func `an archived record that was fetched has the server's values`(time: String) throws {
    let record = try record("record-fetched-\(time)")
    try expectSaved(record)
    #expect(Set(record.allKeys()) == GoldenValues.fieldNames)
    #expect(record.changedKeys() == [])
    GoldenValues.expectFields(of: record, isWhole: false)
    let photo = try #require(record["photo"] as? CKAsset)
    #expect(photo.fileURL?.isFileURL == true)
    #expect(photo.held?.size == 11)
    #expect(photo.held?.fieldName == "photo")
    #expect(photo.held?.recordID == GoldenFiles.id("all-1"))
    #expect((record["photos"] as? [CKAsset])?.map(\.held?.size) == [3, 11])
    let fields = try systemFields("record-fetched-system-fields-\(time)")
    try expectSaved(fields)
    #expect(fields.allKeys() == [])
  }

  @Test(arguments: ["early", "late"])
  func `an archived record that was edited has its changes and the previous values`(time: String)
    throws
  {
    let record = try record("record-edited-\(time)")
    try expectSaved(record, parent: nil)
    #expect(record.changedKeys() == ["added", "fraction", "text"])
    #expect(record["text"] as? String == "changed here")
    #expect(record["fraction"] == nil)
    #expect(record["added"] as? Int == 1)
    let ancestor = try #require(record.ancestor)
    GoldenValues.expectFields(of: ancestor, isWhole: false)
    #expect(ancestor.parent?.recordID == GoldenFiles.id("folder-1"))
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(save.recordChangeTag == (try GoldenFiles.text("changeTag.Notes.all-1")))
    #expect(save.parent == .removed)
  }

  @Test(arguments: ["early", "late"])
  func `an archived record contains its encrypted values in decrypted form`(time: String) throws {
    let record = try record("record-encrypted-\(time)")
    #expect(record["title"] as? String == "Open")
    GoldenValues.expectSecrets(of: record, text: "anders", isWhole: false)
    #expect(record.changedKeys() == [])
    #expect(record.snapshot.encrypted.changes.keys == ["secretText"])
    #expect(record.snapshot.encrypted.originals["secretText"] as? NSString == "geheim")
  }

  @Test(arguments: ["early", "late"])
  func `values that cannot be decrypted stay encrypted in an archived record`(time: String) throws {
    let record = try record("record-sealed-\(time)")
    #expect(record["title"] as? String == "Open")
    #expect(record.encryptedValues["secretText"] == nil)
    #expect(Set(record.unreadableEncryptedKeys) == GoldenValues.secretNames)
  }
}
