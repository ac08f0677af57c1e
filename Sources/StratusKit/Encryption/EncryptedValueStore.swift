import Foundation
import StratusArchive
import StratusWire

/// The encrypted fields of an archived record.
///
/// Choice: the values are archived in the clear, like plain fields. An archive is the app's own
/// data on the user's own device, and must be readable without a network. Values that this device
/// could not decrypt are archived in their encrypted form.
final class EncryptedValueStore: NSObject, NSSecureCoding {
  /// NB: this key is different from Apple's. Under Apple's key, archives contain objects of classes
  /// that this framework does not know.
  static let key = "StratusEncryptedValues"

  private enum Key {
    static let values = "RecordValues"
    static let originals = "OriginalValues"
    static let changedKeys = "ChangedKeys"
    static let sealed = "SealedValues"
  }

  private let values: FieldTable<StoredValue>
  private let originals: FieldTable<StoredValue>
  private let changedKeys: Set<String>
  private let sealed: FieldTable<EncryptedFields.Sealed>

  init(_ fields: EncryptedFields) {
    values = fields.values
    originals = fields.originals
    changedKeys = Set(fields.changes.keys)
    sealed = fields.sealed
  }

  /// Returns the archived fields. Every changed key gets the number `edit`.
  func fields(edit: Int) -> EncryptedFields {
    EncryptedFields(
      values: values, originals: originals, changedKeys: changedKeys, sealed: sealed, edit: edit)
  }

  override var classForKeyedArchiver: AnyClass? { ArchiveName.encryptedRecordValues.standIn }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    values = coder.fields(Key.values)
    originals = coder.fields(Key.originals)
    changedKeys = coder.names(Key.changedKeys)
    var sealed = FieldTable<EncryptedFields.Sealed>()
    for (key, value) in coder.fields(Key.sealed) {
      guard let data = value as? NSData else { continue }
      sealed[key] = EncryptedFields.Sealed(archived: Data(referencing: data))
    }
    self.sealed = sealed
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSDictionary(fields: values), forKey: Key.values)
    coder.encode(NSDictionary(fields: originals), forKey: Key.originals)
    coder.encode(NSSet(array: changedKeys.map(NSString.init(string:))), forKey: Key.changedKeys)
    let data = sealed.mapValues { NSData(data: $0.archived) as StoredValue }
    coder.encode(NSDictionary(fields: data), forKey: Key.sealed)
  }
}

extension EncryptedFields.Sealed {
  /// The type's name, a zero byte, and the encrypted bytes.
  fileprivate var archived: Data { Data(Array(type.schemaName.utf8) + [0] + bytes) }

  fileprivate init?(archived data: Data) {
    guard let end = data.firstIndex(of: 0),
      let type = FieldType(schemaName: String(decoding: data[..<end], as: UTF8.self)),
      type.isEncrypted
    else { return nil }
    self.init(type: type, bytes: Array(data[(end + 1)...]))
  }
}
