import StratusWire

/// A record on its way to the server.
struct RecordSave {
  /// What to send. It names no zone: the request does.
  let operation: RecordOperation
  /// How many of the record's edits are in it.
  let editsCount: Int
  /// The values the record had when it was sent.
  let values: [String: StoredValue]
  let parent: CKReference?
}
