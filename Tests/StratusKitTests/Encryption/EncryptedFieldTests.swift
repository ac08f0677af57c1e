import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `The encrypted fields of a record` {
  private static let sealed = FieldValue.sealed(
    FieldType(.string, isEncrypted: true), [1] + [UInt8](repeating: 0, count: 40))

  private func roundTrip(_ record: CKRecord) throws -> CKRecord {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: record, requiringSecureCoding: true)
    return try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
  }

  private func refusal(_ record: CKRecord) -> CKError? {
    do {
      _ = try record.prepareSave(policy: .ifServerRecordUnchanged)
      return nil
    } catch {
      return error
    }
  }

  @Test func `encrypted fields can be set, read and removed through encryptedValues`() {
    let record = CKRecord(recordType: "Note")
    let view = record.encryptedValues
    view["a"] = 1
    record.encryptedValues["b"] = "two"
    #expect(view["b"] as? String == "two")
    let a: Int? = record.encryptedValues["a"]
    #expect(a == 1)
    #expect(view.allKeys() == ["a", "b"])
    #expect(view.changedKeys() == ["a", "b"])
    view["a"] = nil
    #expect(view.allKeys() == ["b"])
    // In a record that was never saved, a removed key counts as never set.
    #expect(view.changedKeys() == ["b"])
    view.setObject("three" as NSString, forKey: "b")
    #expect(view.object(forKey: "b") as? String == "three")
  }

  @Test func `encrypted fields do not appear among the plain fields`() {
    let record = CKRecord(recordType: "Note")
    record["plain"] = 1
    record.encryptedValues["secret"] = "hidden"
    #expect(record.allKeys() == ["plain"])
    #expect(record.changedKeys() == ["plain"])
    #expect(record["secret"] == nil)
    #expect(record.map(\.0) == ["plain"])
    #expect(!record.description.contains("hidden"))
    #expect(!"\(record.encryptedValues)".contains("hidden"))
    #expect(!record.allTokens().contains("hidden"))
  }

  @Test func `an encrypted field cannot also be a plain field`() {
    let record = CKRecord(recordType: "Note")
    record["a"] = 1
    record.encryptedValues["a"] = 2
    #expect(refusal(record)?.code == .invalidArguments)
    record["a"] = nil
    #expect(refusal(record) == nil)
  }

  @Test func `encrypted fields cannot contain references`() {
    let record = CKRecord(recordType: "Note")
    let reference = CKRecord.Reference(recordID: CKRecord.ID(recordName: "r"), action: .none)
    for value in [reference, [reference] as NSArray] as [any __CKRecordObjCValue] {
      record.encryptedValues.setObject(value, forKey: "a")
      let error = refusal(record)
      #expect(error?.code == .invalidArguments)
      #expect(error?.localizedDescription.contains("'a'") == true)
    }
  }

  @Test
  func `encrypted fields that cannot be decrypted stay in the record and are not sent`() throws {
    let record = try WireRecords.note(fields: ["text": Self.sealed, "title": .string("t")])
    for record in [record, try #require(record.copy() as? CKRecord), try roundTrip(record)] {
      #expect(record.unreadableEncryptedKeys == ["text"])
      #expect(record.encryptedValues.allKeys() == [])
      let save = try record.prepareSave(policy: .allKeys)
      #expect(save.operation.fieldsText == #"{"title":{"value":"t","type":"STRING"}}"#)
      #expect(save.encryptedFields.isEmpty)
    }
    // A plain value cannot replace an unreadable encrypted field by mistake.
    record["text"] = "plain"
    #expect(refusal(record)?.code == .invalidArguments)
    record["text"] = nil
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    #expect(save.operation.fieldsText == "{}")
  }

  @Test
  func `copies and archives of a record contain the encrypted fields and their changes`() throws {
    let record = try WireRecords.note()
    record.encryptedValues["text"] = "secret"
    record.encryptedValues["list"] = [1, 2]
    for other in [try #require(record.copy() as? CKRecord), try roundTrip(record)] {
      #expect(other.encryptedValues["text"] == "secret")
      #expect(other.encryptedValues["list"] as? [Int] == [1, 2])
      #expect(other.encryptedValues.changedKeys() == ["list", "text"])
      other.encryptedValues["text"] = "other"
      #expect(record.encryptedValues["text"] == "secret")
    }
  }

  @Test func `an unreadable encrypted field can be read after the app sets it again`() throws {
    let record = try WireRecords.note(fields: ["text": Self.sealed])
    record.encryptedValues["text"] = "new"
    #expect(record.unreadableEncryptedKeys == [])
    #expect(record.ancestor?.unreadableEncryptedKeys == ["text"])
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    record.encryptedValues["text"] = "newer"
    record.adoptSaved(
      WireRecords.dictionary(tag: "tag-2"), of: save, naming: WireRecords.naming)
    #expect(record.ancestor?.encryptedValues["text"] == "new")
    #expect(record.ancestor?.unreadableEncryptedKeys == [])
    #expect(record.encryptedValues.changedKeys() == ["text"])
  }

  @Test
  func `encrypted fields count as unchanged after a save, unless they are set during the save`()
    throws
  {
    let record = try WireRecords.note()
    record.encryptedValues["a"] = 1
    record.encryptedValues["b"] = 1
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    #expect(save.encryptedFields.map(\.key) == ["a", "b"])
    record.encryptedValues["b"] = 2
    record.adoptSaved(
      WireRecords.dictionary(tag: "tag-2"), of: save, naming: WireRecords.naming)
    #expect(record.encryptedValues.changedKeys() == ["b"])
    #expect(record.ancestor?.encryptedValues["b"] == 1)
    #expect(record.encryptedValues["b"] == 2)
  }
}
