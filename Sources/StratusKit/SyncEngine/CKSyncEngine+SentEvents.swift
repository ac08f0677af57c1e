extension CKSyncEngine.Event {
  /// What became of zones that were sent.
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

  /// What became of records that were sent.
  ///
  /// What failed stays pending where the engine tries again by itself: without an account, without
  /// the network, or with a server that is busy. What failed otherwise is not pending any more; the
  /// app decides whether to add it again.
  public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
    /// A record that was not saved.
    public struct FailedRecordSave: Sendable, CustomStringConvertible {
      public let record: CKRecord
      public let error: CKError

      public var description: String {
        "<FailedRecordSave: recordID=\(record.recordID), error=\(error.code)>"
      }
    }

    /// With their new change tags: store their system fields.
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
