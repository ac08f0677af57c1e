import StratusWire

extension CKSyncEngine {
  /// Records that are sent together in one batch.
  public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
    /// The records to save.
    public var recordsToSave: [CKRecord]
    /// The records to delete.
    public var recordIDsToDelete: [CKRecord.ID]
    /// Whether one failed change makes all changes of its zone fail; false by default.
    public var atomicByZone: Bool

    /// Makes a batch of pending changes, as large as one request can be; nil if there is nothing to
    /// send.
    ///
    /// - Parameters:
    ///   - pendingChanges: the changes in the order in which they are added to the batch. Of
    ///     several changes of one record, only the first is added.
    ///   - recordProvider: returns the record to save for an ID. If it returns nil, the change is
    ///     skipped, and stays pending unless the app removes it from the state.
    public init?(
      pendingChanges: [PendingRecordZoneChange],
      recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
    ) async {
      self.init()
      var sizeBytes = 0
      var seen: Set<CKRecord.ID> = []
      for change in pendingChanges where seen.insert(change.recordID).inserted {
        switch change {
        case .deleteRecord(let recordID): recordIDsToDelete.append(recordID)
        case .saveRecord(let recordID):
          guard let record = await recordProvider(recordID) else { continue }
          sizeBytes += record.sentSizeBytesMax
          // NB: a record that is too large for any request is sent alone, so that only this record
          // fails.
          if sizeBytes > Limits.operationSizeBytesMax, !isEmpty { return }
          recordsToSave.append(record)
          if sizeBytes > Limits.operationSizeBytesMax { return }
        }
        if recordsToSave.count + recordIDsToDelete.count == Limits.operationsPerRequestMax {
          return
        }
      }
      if isEmpty { return nil }
    }

    /// Makes a batch with these records. A batch that is too large for one request is sent in
    /// smaller parts. If such a batch is atomic, its changes fail with `CKError.limitExceeded`.
    public init(
      recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      self.recordsToSave = recordsToSave
      self.recordIDsToDelete = recordIDsToDelete
      self.atomicByZone = atomicByZone
    }

    var isEmpty: Bool { recordsToSave.isEmpty && recordIDsToDelete.isEmpty }

    public var description: String {
      "<RecordZoneChangeBatch: recordsToSave=\(recordsToSave.map(\.recordID)), "
        + "recordIDsToDelete=\(recordIDsToDelete), atomicByZone=\(atomicByZone)>"
    }
  }
}
