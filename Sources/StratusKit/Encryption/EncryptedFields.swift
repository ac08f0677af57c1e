import Foundation
import StratusFoundation
import StratusWire

/// The encrypted fields of a record, and how they differ from what the server was last known to
/// hold.
struct EncryptedFields {
  /// A value as the server has it.
  struct Sealed: Hashable {
    let type: FieldType
    let bytes: [UInt8]
  }

  private(set) var values = FieldTable<StoredValue>()
  /// What the server holds of changed keys; a changed key that is absent has no value there.
  private(set) var originals = FieldTable<StoredValue>()
  /// The changed keys, each with the number of the record's edit that changed it last.
  private(set) var changes = FieldTable<Int>()
  /// Values that have not been opened, maybe because this device cannot.
  private(set) var sealed = FieldTable<Sealed>()
  /// What the lists that came from the server are lists of, since an empty one does not tell.
  private(set) var listElements: [String: FieldType.Element] = [:]

  /// The keys whose values are there, but cannot be read.
  var unreadableKeys: [String] { sealed.keys.filter { changes[$0] == nil } }

  /// Whether there is no value, and none to remove.
  var isEmpty: Bool { values.isEmpty && sealed.isEmpty && changes.isEmpty }

  /// Whether there is, as far as is known, a value.
  func holds(_ key: String) -> Bool {
    values[key] != nil || sealed[key] != nil && changes[key] == nil
  }

  /// - Parameters:
  ///   - edit: the edit's number.
  ///   - isUnseen: whether the server has never seen the record, so that a removed key needs no
  ///     removing.
  mutating func set(_ value: StoredValue?, for key: String, edit: Int, isUnseen: Bool) {
    if changes[key] == nil { originals[key] = values[key] }
    values[key] = value
    changes[key] = value == nil && isUnseen ? nil : edit
    if isUnseen { originals[key] = nil }
  }

  /// Takes in a value from an answer.
  mutating func take(_ value: Sealed, for key: String) {
    sealed[key] = value
    if value.type.isList { listElements[key] = value.type.element }
  }

  /// Shows a value that was sealed.
  mutating func open(_ key: String, as value: StoredValue) {
    guard sealed[key] != nil, changes[key] == nil else { return }
    sealed[key] = nil
    values[key] = value
  }

  /// Takes in that a save succeeded; see `RecordState.settle(_:)`.
  mutating func settle(_ save: RecordSave) {
    for field in save.encryptedFields { sealed[field.key] = nil }
    changes = changes.filter { $0.value > save.editsCount }
    originals = FieldTable()
    for key in changes.keys { originals[key] = save.encryptedValues[key] }
  }

  /// The fields as the server was last known to hold them.
  var ancestor: EncryptedFields {
    var fields = self
    for key in changes.keys { fields.values[key] = originals[key] }
    fields.changes = FieldTable()
    fields.originals = FieldTable()
    return fields
  }

  /// What a save has to send.
  ///
  /// - Parameter isWhole: whether to send what has not changed, too.
  /// - Throws: `CKError.invalidArguments` for values that cannot be encrypted.
  func fieldsToSend(isWhole: Bool) throws(CKError) -> [EncryptedField] {
    let keys = isWhole ? Set(changes.keys).union(values.keys) : Set(changes.keys)
    var fields: [EncryptedField] = []
    for key in keys.sorted() {
      fields.append(EncryptedField(key: key, value: try fieldValue(key)))
    }
    return fields
  }

  private func fieldValue(_ key: String) throws(CKError) -> FieldValue? {
    guard let object = values[key] else { return nil }
    let list = object as? NSArray
    if let list, list.count == 0 {
      // Choice: an empty list that nobody knows the type of is no value, as with plain fields.
      return listElements[key].map { .list($0, []) }
    }
    guard Self.canBeEncrypted(list?.firstObject ?? object) else {
      throw CKError.malformed(
        "field '\(key)': text, numbers, dates, data, locations and lists of these can be "
          + "encrypted, but no references and no assets")
    }
    guard let value = FieldValue(object, zoneID: ZoneID(zoneName: ZoneID.defaultZoneName)) else {
      throw CKError.malformed("the value of field '\(key)' is not finite or too large")
    }
    return value
  }

  private static func canBeEncrypted(_ object: Any) -> Bool {
    switch object {
    case is NSString, is NSNumber, is NSDate, is NSData, is CLLocation: true
    default: false
    }
  }
}

extension EncryptedFields {
  /// Fields from an archive.
  init(
    values: FieldTable<StoredValue>, originals: FieldTable<StoredValue>, changedKeys: Set<String>,
    sealed: FieldTable<Sealed>, edit: Int
  ) {
    self.values = values
    self.originals = originals
    for (key, value) in sealed { take(value, for: key) }
    for key in changedKeys { changes[key] = edit }
  }
}

/// An encrypted field as a save has to send it, before it is sealed.
struct EncryptedField {
  let key: String
  /// nil: the field is removed.
  let value: FieldValue?
}
