import Foundation

/// Gives the encrypted fields of a record the same interface as the record.
final class EncryptedValues: NSObject, CKRecordKeyValueSetting, @unchecked Sendable {
  private let record: CKRecord

  init(of record: CKRecord) { self.record = record }

  @_disfavoredOverload
  func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    record.withState { $0.encrypted.values[key] }
  }

  func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
    let value = object.map(storedValue(for:))
    record.withState { $0.setEncrypted(value, for: key) }
  }

  @_disfavoredOverload
  subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  func allKeys() -> [CKRecord.FieldKey] {
    record.withState { $0.encrypted.values.keys }
  }

  func changedKeys() -> [CKRecord.FieldKey] {
    record.withState { $0.encrypted.changes.keys }
  }

  /// NB: the description contains no values, because descriptions appear in logs.
  override var description: String { "<CKRecord.encryptedValues: keys=\(allKeys())>" }
}
