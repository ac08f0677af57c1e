extension CKRecord {
  /// Fields that only the user's devices can read: sealed before they are sent, opened when they
  /// come.
  ///
  /// What is set here is set in the record. Any value but references and assets; not in the public
  /// database. A key is either plain or encrypted.
  ///
  /// Choice: the record's own `allKeys()`, `changedKeys()`, subscripts and iteration know only its
  /// plain fields, so that code which copies fields from record to record by them does not turn
  /// encrypted ones into plain. A key that has a value both ways, and values that cannot be
  /// encrypted, are `CKError.invalidArguments` when the record is saved.
  public var encryptedValues: any CKRecordKeyValueSetting & Sendable {
    EncryptedValues(of: self)
  }

  /// The encrypted fields that have a value this device could not read, because it lacks the
  /// account's key, or because the value was damaged; sorted. An addition of Stratus.
  ///
  /// `encryptedValues` has nil for them. They are not lost: saving the record leaves them as they
  /// are.
  public var unreadableEncryptedKeys: [CKRecord.FieldKey] {
    withState { $0.encrypted.unreadableKeys }
  }
}
