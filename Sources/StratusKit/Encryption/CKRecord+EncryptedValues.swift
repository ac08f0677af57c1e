extension CKRecord {
  /// Fields that the server cannot read. They are encrypted before they are sent, and decrypted
  /// after they are fetched. Only devices of the user, and in a share those of the participants,
  /// have the keys.
  ///
  /// Setting an encrypted value changes the record. Any value except references and assets can be
  /// encrypted, but only in the private and the shared database. The name of a field is used
  /// either for a plain field or for an encrypted field.
  ///
  /// Choice: the record's own `allKeys()`, `changedKeys()`, subscripts and iteration include only
  /// its plain fields. Code that copies fields between records therefore does not turn encrypted
  /// fields into plain fields. Saving fails with `CKError.invalidArguments` if a key has both a
  /// plain and an encrypted value, or if a value cannot be encrypted.
  public var encryptedValues: any CKRecordKeyValueSetting & Sendable {
    EncryptedValues(of: self)
  }

  /// The sorted keys of the encrypted fields whose values this device could not decrypt. Either the
  /// device lacks a key, or the value is damaged. This property is an addition of Stratus.
  ///
  /// For these fields, `encryptedValues` returns nil. The fields are not lost: a save of the record
  /// leaves them unchanged.
  public var unreadableEncryptedKeys: [CKRecord.FieldKey] {
    withState { $0.encrypted.unreadableKeys }
  }
}
