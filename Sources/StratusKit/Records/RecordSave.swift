import StratusWire

/// A record on its way to the server.
struct RecordSave {
  /// What to send. It names no zone: the request does.
  var operation: RecordOperation
  /// The encrypted fields; their values are not in the operation before they are sealed.
  let encryptedFields: [EncryptedField]
  /// The encrypted values the record had when it was sent.
  let encryptedValues: [String: StoredValue]
  /// How many of the record's edits are in it.
  let editsCount: Int
  /// The values the record had when it was sent.
  let values: [String: StoredValue]
  let parent: CKReference?
}
