import Foundation
import StratusArchive
import StratusFoundation

/// Archives a record's state under the keys of Apple's archives, so that one decoder reads both
/// formats.
extension RecordState {
  enum CodingKey {
    static let recordType = "RecordType"
    static let recordID = "RecordID"
    static let changeTag = "ETag"
    static let creationDate = "RecordCtime"
    static let creator = "CreatorUserRecordID"
    static let modificationDate = "RecordMtime"
    static let modifier = "LastModifiedUserRecordID"
    static let device = "ModifiedByDevice"
    static let isKnown = "KnownToServer"
    static let parent = "ParentReference"
    static let originalParent = "PreviousParentReference"
    static let isParentChanged = "HasUpdatedParentReference"
    static let share = "ShareReference"
    /// NB: Apple's archives do not have this key. They contain the share's URL instead.
    static let shortGUID = "StratusShortGUID"
    static let valueStore = "ValueStore"
  }

  init?(coder: NSCoder) {
    guard let type = coder.string(CodingKey.recordType), !type.isEmpty,
      let id = coder.object(CodingKey.recordID, of: CKRecordID.self)
    else { return nil }
    self.init(recordType: type, recordID: id)
    system.changeTag = coder.string(CodingKey.changeTag)
    system.creationDate = coder.date(CodingKey.creationDate)
    system.creatorUserRecordID = coder.object(CodingKey.creator, of: CKRecordID.self)
    system.modificationDate = coder.date(CodingKey.modificationDate)
    system.lastModifiedUserRecordID = coder.object(CodingKey.modifier, of: CKRecordID.self)
    system.modifiedByDevice = coder.string(CodingKey.device)
    system.share = coder.object(CodingKey.share, of: CKReference.self)
    system.shortGUID = coder.string(CodingKey.shortGUID)
    parent = coder.object(CodingKey.parent, of: CKReference.self)
    originalParent = coder.object(CodingKey.originalParent, of: CKReference.self)
    if type == CKRecord.SystemType.share { sharing = ShareContents(coder: coder) }
    if coder.flag(CodingKey.isParentChanged) {
      editsCount += 1
      parentChange = editsCount
    }
    if let store = coder.object(EncryptedValueStore.key, of: EncryptedValueStore.self) {
      editsCount += 1
      encrypted = store.fields(edit: editsCount)
    }
    guard let store = coder.object(CodingKey.valueStore, of: RecordValueStore.self) else { return }
    values = store.values
    originals = store.originals
    editsCount += 1
    for key in store.changedKeys { changes[key] = editsCount }
  }

  func encodeSystemFields(with coder: NSCoder) {
    coder.encode(recordType as NSString, forKey: CodingKey.recordType)
    coder.encode(recordID, forKey: CodingKey.recordID)
    coder.encode(present: system.changeTag.map(NSString.init(string:)), forKey: CodingKey.changeTag)
    coder.encode(present: system.creationDate.map(Self.object), forKey: CodingKey.creationDate)
    coder.encode(present: system.creatorUserRecordID, forKey: CodingKey.creator)
    coder.encode(
      present: system.modificationDate.map(Self.object), forKey: CodingKey.modificationDate)
    coder.encode(present: system.lastModifiedUserRecordID, forKey: CodingKey.modifier)
    coder.encode(
      present: system.modifiedByDevice.map(NSString.init(string:)), forKey: CodingKey.device)
    coder.encode(system.changeTag != nil, forKey: CodingKey.isKnown)
    coder.encode(present: system.share, forKey: CodingKey.share)
    coder.encode(present: system.shortGUID.map(NSString.init(string:)), forKey: CodingKey.shortGUID)
    coder.encode(present: parent, forKey: CodingKey.parent)
    coder.encode(present: originalParent, forKey: CodingKey.originalParent)
    coder.encode(parentChange != nil, forKey: CodingKey.isParentChanged)
    sharing?.encode(with: coder)
  }

  private static func object(_ date: Date) -> NSDate {
    NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
  }
}

/// The fields of an archived record. In Apple's archives this class is named CKRecordValueStore.
final class RecordValueStore: NSObject, NSSecureCoding {
  let values: FieldTable<StoredValue>
  let originals: FieldTable<StoredValue>
  let changedKeys: Set<String>

  init(_ state: RecordState) {
    values = state.values
    originals = state.originals
    changedKeys = Set(state.changes.keys)
  }

  override var classForKeyedArchiver: AnyClass? { ArchiveName.recordValues.standIn }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    values = coder.fields("RecordValues")
    originals = coder.fields("OriginalValues")
    changedKeys = coder.names("ChangedKeys")
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSDictionary(fields: values), forKey: "RecordValues")
    coder.encode(NSDictionary(fields: originals), forKey: "OriginalValues")
    coder.encode(NSSet(array: changedKeys.map(NSString.init(string:))), forKey: "ChangedKeys")
  }
}

/// A placeholder for a value in Apple's archives whose class does not exist in this framework. The
/// placeholder is empty, so the value is lost.
final class UnknownArchivedValue: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

extension NSCoder {
  private static let fieldClasses: [AnyClass] = [
    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    CLLocation.self, CKReference.self, CKAsset.self, UnknownArchivedValue.self,
  ]

  func names(_ key: String) -> Set<String> {
    guard containsValue(forKey: key),
      let set = decodeObject(of: [NSSet.self, NSString.self], forKey: key) as? NSSet
    else { return [] }
    return Set(set.allObjects.compactMap { $0 as? String })
  }

  func fields(_ key: String) -> FieldTable<StoredValue> {
    guard containsValue(forKey: key),
      let dictionary = decodeObject(of: Self.fieldClasses, forKey: key) as? NSDictionary
    else { return FieldTable() }
    var fields = FieldTable<StoredValue>()
    for (key, value) in dictionary {
      guard let name = key as? String else { continue }
      fields[name] = StoredValues.make(from: value)
    }
    return fields
  }
}

extension NSDictionary {
  convenience init(fields: FieldTable<StoredValue>) {
    self.init(objects: fields.values, forKeys: fields.keys.map(NSString.init(string:)))
  }
}
