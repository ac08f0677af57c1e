extension CKSyncEngine.Event {
  /// The results of a request to save and delete zones.
  public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
    /// A zone that was not saved.
    public struct FailedZoneSave: Sendable, CustomStringConvertible {
      /// The zone that was to be saved.
      public let zone: CKRecordZone
      /// The reason why the zone was not saved.
      public let error: CKError

      public var description: String {
        "<FailedZoneSave: zoneID=\(zone.zoneID), error=\(error.code)>"
      }
    }

    /// The saved zones, as the server stores them.
    public let savedZones: [CKRecordZone]
    /// The zones that were not saved.
    public let failedZoneSaves: [FailedZoneSave]
    /// The zones that were deleted.
    public let deletedZoneIDs: [CKRecordZone.ID]
    /// The zones that were not deleted, each with the reason.
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]

    public var description: String {
      "<SentDatabaseChanges: savedZones=\(savedZones.map(\.zoneID)), "
        + "failedZoneSaves=\(failedZoneSaves), deletedZoneIDs=\(deletedZoneIDs), "
        + "failedZoneDeletes=\(failedZoneDeletes.count)>"
    }
  }

  /// The results of a request to save and delete records.
  ///
  /// A failed change stays pending if the engine retries it. The engine retries a change that
  /// failed for a temporary reason, such as a missing account, a missing key, a lost connection or
  /// a busy server. Any other failed change is no longer pending. The app decides whether to add it
  /// again for the next send.
  public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
    /// A record that was not saved.
    public struct FailedRecordSave: Sendable, CustomStringConvertible {
      /// The record that was to be saved.
      public let record: CKRecord
      /// The reason why the record was not saved. The error of a conflict contains the server's
      /// record.
      public let error: CKError

      public var description: String {
        "<FailedRecordSave: recordID=\(record.recordID), error=\(error.code)>"
      }
    }

    /// The saved records with their new change tags. Store their system fields.
    public let savedRecords: [CKRecord]
    /// The records that were not saved.
    public let failedRecordSaves: [FailedRecordSave]
    /// The records that were deleted.
    public let deletedRecordIDs: [CKRecord.ID]
    /// The records that were not deleted, each with the reason.
    public let failedRecordDeletes: [CKRecord.ID: CKError]

    public var description: String {
      "<SentRecordZoneChanges: savedRecords=\(savedRecords.map(\.recordID)), "
        + "failedRecordSaves=\(failedRecordSaves), deletedRecordIDs=\(deletedRecordIDs), "
        + "failedRecordDeletes=\(failedRecordDeletes.count)>"
    }
  }
}
