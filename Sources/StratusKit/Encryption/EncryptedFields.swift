import Foundation
import StratusFoundation
import StratusWire

/// The encrypted fields of a record, and their differences from the last known server version.
struct EncryptedFields {
  /// An encrypted value as the server stores it.
  struct Sealed: Hashable {
    let type: FieldType
    let bytes: [UInt8]
  }

  private(set) var values = FieldTable<StoredValue>()
  /// The values that the changed keys have on the server. A changed key without an entry has no
  /// value on the server, or a value that was not decrypted.
  private(set) var originals = FieldTable<StoredValue>()
  /// The changed keys, each with the number of the edit that changed it last.
  private(set) var changes = FieldTable<Int>()
  /// Values that have not been decrypted, perhaps because this device lacks their keys.
  private(set) var sealed = FieldTable<Sealed>()
  /// The element types of the lists on the server, by field. An empty list does not show its
  /// element type.
  private(set) var listElements: [String: FieldType.Element] = [:]

  /// The keys whose values exist but cannot be read.
  var unreadableKeys: [String] { sealed.keys.filter { changes[$0] == nil } }

  /// Whether there are no values and no changes.
  var isEmpty: Bool { values.isEmpty && sealed.isEmpty && changes.isEmpty }

  /// Whether the field has a value, which may still be encrypted.
  func holds(_ key: String) -> Bool {
    values[key] != nil || sealed[key] != nil && changes[key] == nil
  }

  /// - Parameters:
  ///   - edit: the number of this edit among all edits of the record.
  ///   - isUnseen: whether the server has never received the record. In that case, a removed key
  ///     need not be removed on the server.
  mutating func set(_ value: StoredValue?, for key: String, edit: Int, isUnseen: Bool) {
    if changes[key] == nil { originals[key] = values[key] }
    values[key] = value
    changes[key] = value == nil && isUnseen ? nil : edit
    if isUnseen { originals[key] = nil }
  }

  /// Stores an encrypted value from a response.
  mutating func take(_ value: Sealed, for key: String) {
    sealed[key] = value
    if value.type.isList { listElements[key] = value.type.element }
  }

  /// Replaces an encrypted value by the decrypted value.
  mutating func open(_ key: String, as value: StoredValue) {
    guard sealed[key] != nil, changes[key] == nil else { return }
    sealed[key] = nil
    values[key] = value
  }

  /// Updates the fields after a successful save; see `RecordState.settle(_:)`.
  mutating func settle(_ save: RecordSave) {
    for field in save.encryptedFields { sealed[field.key] = nil }
    changes = changes.filter { $0.value > save.editsCount }
    originals = FieldTable()
    for key in changes.keys { originals[key] = save.encryptedValues[key] }
  }

  /// The fields of the last known server version.
  var ancestor: EncryptedFields {
    var fields = self
    for key in changes.keys { fields.values[key] = originals[key] }
    fields.changes = FieldTable()
    fields.originals = FieldTable()
    return fields
  }

  /// Returns the fields that a save has to send.
  ///
  /// - Parameter isWhole: whether unchanged fields are sent as well.
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
      // Choice: an empty list is sent as a removed field if its element type is unknown.
      return listElements[key].map { .list($0, []) }
    }
    guard Self.canBeEncrypted(list?.firstObject ?? object) else {
      throw CKError.malformed(
        "field '\(key)': text, numbers, dates, data, locations and lists of these can be "
          + "encrypted, but references and assets cannot be encrypted")
    }
    guard let value = FieldValue(object, zoneID: ZoneID(zoneName: ZoneID.defaultZoneName)) else {
      throw CKError.malformed("the value of field '\(key)' is not finite, or is too large")
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
  /// Makes the fields from an archive.
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

/// A field of a save that must be encrypted before it is sent.
struct EncryptedField {
  let key: String
  /// The value; nil if the save removes the field.
  let value: FieldValue?
}
