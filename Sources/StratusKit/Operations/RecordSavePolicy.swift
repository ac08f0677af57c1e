extension CKModifyRecordsOperation {
  /// Decides which fields of a record are sent, and whether the server compares the record's change
  /// tag. All fields of a new record are sent. The change tag of a share with changed participants
  /// is always compared.
  public enum RecordSavePolicy: Int, Sendable {
    /// Sends the changed keys. The save fails with a conflict if the record's change tag differs
    /// from the server's.
    case ifServerRecordUnchanged = 0
    /// Sends the changed keys; no change tag is compared.
    case changedKeys = 1
    /// Sends all keys of the record; no change tag is compared.
    case allKeys = 2
  }
}
