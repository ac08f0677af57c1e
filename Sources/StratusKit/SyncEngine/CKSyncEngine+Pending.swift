import Foundation

extension CKSyncEngine {
  /// A pending change of a record.
  public enum PendingRecordZoneChange: Sendable, Hashable, CustomStringConvertible {
    /// The record with this ID is to be saved.
    case saveRecord(CKRecord.ID)
    /// The record with this ID is to be deleted.
    case deleteRecord(CKRecord.ID)

    var recordID: CKRecord.ID {
      switch self {
      case .saveRecord(let recordID), .deleteRecord(let recordID): recordID
      }
    }

    public static func == (lhs: PendingRecordZoneChange, rhs: PendingRecordZoneChange) -> Bool {
      switch (lhs, rhs) {
      case (.saveRecord(let one), .saveRecord(let other)),
        (.deleteRecord(let one), .deleteRecord(let other)):
        one.isSame(as: other)
      case (.saveRecord, .deleteRecord), (.deleteRecord, .saveRecord): false
      }
    }

    public var description: String {
      switch self {
      case .saveRecord(let recordID): "saveRecord(\(recordID))"
      case .deleteRecord(let recordID): "deleteRecord(\(recordID))"
      }
    }
  }

  /// A pending change of a zone.
  ///
  /// Two changes are equal if both save, or both delete, a zone with the same ID.
  public enum PendingDatabaseChange: Sendable, Hashable, CustomStringConvertible {
    /// The zone is to be saved.
    case saveZone(CKRecordZone)
    /// The zone with this ID is to be deleted.
    case deleteZone(CKRecordZone.ID)

    var zoneID: CKRecordZone.ID {
      switch self {
      case .saveZone(let zone): zone.zoneID
      case .deleteZone(let zoneID): zoneID
      }
    }

    private var isSave: Bool {
      switch self {
      case .saveZone: true
      case .deleteZone: false
      }
    }

    public static func == (lhs: PendingDatabaseChange, rhs: PendingDatabaseChange) -> Bool {
      lhs.isSave == rhs.isSave && lhs.zoneID.isEqual(rhs.zoneID)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(isSave)
      hasher.combine(zoneID)
    }

    public var description: String {
      switch self {
      case .saveZone(let zone): "saveZone(\(zone.zoneID))"
      case .deleteZone(let zoneID): "deleteZone(\(zoneID))"
      }
    }
  }
}
