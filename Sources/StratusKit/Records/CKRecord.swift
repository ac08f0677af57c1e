public import Foundation
import Synchronization

/// A set of named values that the server keeps: its type, its ID, its fields.
///
/// A record is a reference: operations refresh the very instance they save. Two instances with the
/// same ID are not equal. Do not subclass it.
public class CKRecord: NSObject, NSSecureCoding, NSCopying, Sequence, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  public typealias RecordType = String
  public typealias FieldKey = String
  public typealias ID = CKRecordID
  public typealias Reference = CKReference
  public typealias ReferenceAction = CKReferenceAction
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)
  public typealias Iterator = CKRecordKeyValueIterator

  private let lock = Mutex(())
  private var state: RecordState

  /// NB: for ``RecordFactory`` and subclasses; elsewhere a record's type chooses its class.
  init(state: RecordState) {
    self.state = state
    super.init()
  }

  /// A new record. Default: in the default zone, named by a UUID. An empty type is a programmer's
  /// error.
  public convenience init(
    recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()
  ) {
    precondition(!recordType.isEmpty, "recordType must not be empty")
    self.init(state: RecordState(recordType: recordType, recordID: recordID))
  }

  /// A new record of a zone, named by a UUID. An empty type is a programmer's error.
  public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecordID(zoneID: zoneID))
  }

  /// Reads or changes what the record holds, one caller at a time.
  func withState<Result>(
    _ body: (inout RecordState) throws -> Result
  ) rethrows -> Result {
    try lock.withLock { _ in try body(&state) }
  }

  /// What the record holds at this moment.
  var snapshot: RecordState { withState { $0 } }

  /// The value of a field, as the object it is kept as; nil if the field has none.
  @_disfavoredOverload
  public func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    withState { $0.values[key] }
  }

  /// Sets a field to a copy of an object; nil removes its value. An object of no kind a field can
  /// hold is a programmer's error.
  public func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
    let value = object.map { storedValue(for: $0) }
    withState { $0.set(value, for: key) }
  }

  /// The value of a field, as the object it is kept as.
  @_disfavoredOverload
  public subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  /// The names of the fields that have a value, sorted.
  public func allKeys() -> [CKRecord.FieldKey] { withState { $0.values.keys } }

  /// The names of the fields set or removed since the last fetch or save, sorted.
  ///
  /// Setting a field to the value it has counts. A field removed from a record that was never sent
  /// does not.
  public func changedKeys() -> [CKRecord.FieldKey] { withState { $0.changes.keys } }

  /// Walks through the fields as they are now.
  public func makeIterator() -> CKRecordKeyValueIterator {
    CKRecordKeyValueIterator(snapshot.values)
  }

  /// An independent record with the same ID, values, change tag and pending changes.
  public func copy(with zone: NSZone? = nil) -> Any { RecordFactory.record(snapshot) }

  public override var description: String {
    let state = snapshot
    return "<CKRecord: recordType=\(state.recordType), recordID=\(state.recordID.recordName), "
      + "recordChangeTag=\(state.system.changeTag ?? "none"), keys=\(state.values.keys)>"
  }

  public class var supportsSecureCoding: Bool { true }

  /// Reads an archived record, ours or Apple's: whole, or its system fields alone. nil if the
  /// archive holds no type or no ID.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder) else { return nil }
    self.state = state
    super.init()
  }

  /// Writes everything: system fields, values, pending changes.
  ///
  /// Choice: encrypted values, too, readable for who can read the archive.
  public func encode(with coder: NSCoder) {
    let state = snapshot
    state.encodeSystemFields(with: coder)
    coder.encode(RecordValueStore(state), forKey: RecordState.CodingKey.valueStore)
    coder.encode(EncryptedValueStore(state.encrypted), forKey: EncryptedValueStore.key)
  }

  /// Writes identity and what the server knows of the record (type, ID, change tag, dates, users,
  /// parent), no fields.
  ///
  /// A record read from that with `init(coder:)` stands for the version of that change tag.
  public func encodeSystemFields(with coder: NSCoder) {
    snapshot.encodeSystemFields(with: coder)
  }
}
