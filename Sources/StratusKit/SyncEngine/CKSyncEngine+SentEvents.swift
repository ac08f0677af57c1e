extension CKSyncEngine.Event {
  /// The results of a request to save and delete zones.
  public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
    /// A zone that was not saved.
    public struct FailedZoneSave: Sendable, CustomStringConvertible {
      public let zone: CKRecordZone
      public let error: CKError

      public var description: String {
        "<FailedZoneSave: zoneID=\(zone.zoneID), error=\(error.code)>"
      }
    }

    public let savedZones: [CKRecordZone]
    public let failedZoneSaves: [FailedZoneSave]
    public let deletedZoneIDs: [CKRecordZone.ID]
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]

    public var description: String {
      "<SentDatabaseChanges: savedZones=\(savedZones.map(\.zoneID)), "
        + "failedZoneSaves=\(failedZoneSaves), deletedZoneIDs=\(deletedZoneIDs), "
        + "failedZoneDeletes=\(failedZoneDeletes.count)>"
    }
  }

  /// The results of a request to save and delete records.
  ///
  /// A failed change stays pending if the engine retries it: without an account, without the
  /// network, or with a busy server. Any other failed change is no longer pending. The app decides
  /// whether to add it again for the next send.
  public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
    /// A record that was not saved.
    public struct FailedRecordSave: Sendable, CustomStringConvertible {
      public let record: CKRecord
      public let error: CKError

      public var description: String {
        "<FailedRecordSave: recordID=\(record.recordID), error=\(error.code)>"
      }
    }

    /// The saved records with their new change tags. Store their system fields.
    public let savedRecords: [CKRecord]
    public let failedRecordSaves: [FailedRecordSave]
    public let deletedRecordIDs: [CKRecord.ID]
    public let failedRecordDeletes: [CKRecord.ID: CKError]

    public var description: String {
      "<SentRecordZoneChanges: savedRecords=\(savedRecords.map(\.recordID)), "
        + "failedRecordSaves=\(failedRecordSaves), deletedRecordIDs=\(deletedRecordIDs), "
        + "failedRecordDeletes=\(failedRecordDeletes.count)>"
    }
  }
}
