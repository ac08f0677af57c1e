public import Foundation
import StratusArchive
import Synchronization

/// A typed set of named values that the server stores under an ID.
///
/// A record is a class instance: operations update the same instance that they save. Two instances
/// with the same ID are not equal. Do not subclass `CKRecord`.
public class CKRecord: NSObject, NSSecureCoding, NSCopying, Sequence, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  /// The name of a record type.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String
  /// Identifies a record by its zone and its name.
  public typealias ID = CKRecordID
  /// A link to another record.
  public typealias Reference = CKReference
  /// The effect on a referring record when the target of the reference is deleted.
  public typealias ReferenceAction = CKReferenceAction
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)
  public typealias Iterator = CKRecordKeyValueIterator

  private let lock = Mutex(())
  private var state: RecordState

  /// NB: only ``RecordFactory`` and subclasses call this initialiser. All other code must use
  /// ``RecordFactory``, which chooses between `CKRecord` and `CKShare`.
  init(state: RecordState) {
    self.state = state
    super.init()
  }

  /// Makes a new record. By default it is in the default zone, and its name is a UUID. An empty
  /// type is a programmer error.
  public convenience init(
    recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()
  ) {
    precondition(!recordType.isEmpty, "recordType must not be empty")
    self.init(state: RecordState(recordType: recordType, recordID: recordID))
  }

  /// Makes a new record in a zone, with a UUID as its name. An empty type is a programmer error.
  public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecordID(zoneID: zoneID))
  }

  /// Reads or changes the record's state under a lock.
  func withState<Result>(
    _ body: (inout RecordState) throws -> Result
  ) rethrows -> Result {
    try lock.withLock { _ in try body(&state) }
  }

  /// A copy of the record's present state.
  var snapshot: RecordState { withState { $0 } }

  /// The value of a field, as the stored object; nil if the field has none.
  @_disfavoredOverload
  public func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    withState { $0.values[key] }
  }

  /// Sets a field to a copy of an object; nil removes its value. An object that a field cannot hold
  /// is a programmer error.
  public func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
    let value = object.map { storedValue(for: $0) }
    withState { $0.set(value, for: key) }
  }

  /// The value of a field, as the stored object.
  @_disfavoredOverload
  public subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  /// The names of the fields that have a value, sorted.
  public func allKeys() -> [CKRecord.FieldKey] { withState { $0.values.keys } }

  /// The names of the fields that were set or removed since the last fetch or save, sorted.
  ///
  /// Setting a field to its present value counts as a change. Removing a field from a record that
  /// was never sent does not count.
  public func changedKeys() -> [CKRecord.FieldKey] { withState { $0.changes.keys } }

  /// Iterates over the fields that have a value.
  public func makeIterator() -> CKRecordKeyValueIterator {
    CKRecordKeyValueIterator(snapshot.values)
  }

  /// Returns an independent record with the same ID, values, change tag and pending changes.
  public func copy(with zone: NSZone? = nil) -> Any { RecordFactory.record(snapshot.independent) }

  public override var description: String {
    let state = snapshot
    return "<CKRecord: recordType=\(state.recordType), recordID=\(state.recordID.recordName), "
      + "recordChangeTag=\(state.system.changeTag ?? "none"), keys=\(state.values.keys)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.record.standIn }

  public class var supportsSecureCoding: Bool { true }

  /// Reads an archived record, from Stratus or from Apple's framework. The archive may contain only
  /// the system fields. The record is nil if the archive has no type or no ID.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder) else { return nil }
    self.state = state
    super.init()
  }

  /// Archives the system fields, the values and the pending changes.
  ///
  /// Choice: encrypted values are archived in the clear. Any person or program with the archive can
  /// therefore read them.
  public func encode(with coder: NSCoder) {
    let state = snapshot
    state.encodeSystemFields(with: coder)
    coder.encode(RecordValueStore(state), forKey: RecordState.CodingKey.valueStore)
    coder.encode(EncryptedValueStore(state.encrypted), forKey: EncryptedValueStore.key)
  }

  /// Archives the system fields, such as type, ID, change tag, dates, users and parent. The values
  /// are not archived.
  ///
  /// A record that `init(coder:)` reads from this archive represents the server version with that
  /// change tag.
  public func encodeSystemFields(with coder: NSCoder) {
    snapshot.encodeSystemFields(with: coder)
  }
}
