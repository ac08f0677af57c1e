extension CKModifyRecordsOperation {
  /// What of a record is sent, and whether the server compares its change tag.
  public enum RecordSavePolicy: Int, Sendable {
    /// The changed keys; a change tag that is not the server's is a conflict.
    case ifServerRecordUnchanged = 0
    /// The changed keys; no change tag is compared.
    case changedKeys = 1
    /// Every key the record has; no change tag is compared.
    case allKeys = 2
  }
}
