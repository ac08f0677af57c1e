public import Foundation

/// An object with fields, such as a record.
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
  /// The value of a field, as the stored object; nil if the field has none.
  @_disfavoredOverload
  func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?

  /// Sets a field to a copy of an object; nil removes the field's value.
  func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)

  /// The value of a field, as the stored object.
  @_disfavoredOverload
  subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }

  /// The names of the fields that have a value.
  func allKeys() -> [CKRecord.FieldKey]

  /// The names of the fields that were set or removed since the last fetch or save.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  /// The value of a field; nil if the field has none.
  public func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    let object: (any __CKRecordObjCValue)? = self.object(forKey: key)
    return object
  }

  /// Sets a field to a copy of a value; nil removes the field's value.
  ///
  /// NB: this overload is disfavoured, so that the call in `keep(_:forKey:)` resolves to the
  /// overload that takes an object.
  @_disfavoredOverload
  public func setObject(
    _ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey
  ) {
    keep(object.map(storedValue(for:)), forKey: key)
  }

  /// The value of a field; nil if the field has none. Setting nil removes the field's value.
  public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  /// The value of a field as a certain type; nil if the field has no value, or a value of another
  /// type.
  public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
    get {
      let object: (any __CKRecordObjCValue)? = object(forKey: key)
      return object as? T
    }
    set { keep(newValue.map(storedValue(for:)), forKey: key) }
  }

  /// Sets a field to a value that is already a copy; nil removes the field's value.
  private func keep(_ value: StoredValue?, forKey key: CKRecord.FieldKey) {
    guard let record = self as AnyObject as? CKRecord else {
      return setObject(value, forKey: key)
    }
    record.withState { $0.set(value, for: key) }
  }
}

/// Converts a value into the object that a field stores. A value that a field cannot contain is a
/// programmer error.
func storedValue(for value: Any) -> StoredValue {
  checked(StoredValues.make(from: value), for: value)
}

/// Returns the object itself if a field can store it, or an immutable copy that a field can store.
func storedValue(for object: any __CKRecordObjCValue) -> StoredValue {
  // NB: a cast from a class type is faster than a cast from a protocol type.
  let value = (object as AnyObject as? NSObject).flatMap { StoredValues.make(from: $0) }
  return checked(value, for: object)
}

private func checked(_ object: StoredValue?, for value: Any) -> StoredValue {
  guard let object else {
    preconditionFailure(
      "\(type(of: value)) cannot be a value of a record: use a string, number, date, "
        + "data, location, reference, asset, or an array of values of one of these kinds")
  }
  return object
}

/// Iterates over those fields of a record that have a value, in the order of the fields' names.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)

  private var fields: IndexingIterator<[(key: String, value: StoredValue)]>

  init(_ values: FieldTable<StoredValue>) { fields = values.makeIterator() }

  /// Returns the next field's name and value, or nil after the last field.
  public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
    fields.next().map { ($0.key, $0.value) }
  }
}
