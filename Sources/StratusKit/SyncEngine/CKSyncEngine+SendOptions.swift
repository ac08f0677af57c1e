extension CKSyncEngine {
  /// The options of a send.
  public struct SendChangesOptions: Sendable, CustomStringConvertible {
    /// The pending changes that are sent.
    public enum Scope: Sendable, Equatable, CustomStringConvertible {
      /// All pending changes.
      case all
      /// The changes outside these zones.
      case allExcluding([CKRecordZone.ID])
      /// The changes in these zones.
      case zoneIDs([CKRecordZone.ID])
      /// The changes of these records.
      case recordIDs([CKRecord.ID])

      /// Whether a record's change is to be sent.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains(recordID)
        }
      }

      /// Whether a pending change is to be sent.
      public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool {
        contains(pendingChange.recordID)
      }

      /// Whether the creation or deletion of a zone is to be sent.
      ///
      /// Choice: with `recordIDs`, the zones of these records are included, because a record needs
      /// its zone.
      func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID.isEqual(zoneID) }
        }
      }

      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs))"
        case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs))"
        case .recordIDs(let recordIDs): "recordIDs(\(recordIDs))"
        }
      }
    }

    /// The pending changes that are sent; `.all` by default.
    public var scope: Scope
    /// The group that the requests belong to.
    public var operationGroup: CKOperationGroup

    /// - Parameter operationGroup: the group that the requests belong to; nil for a new group.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup(named: "CKSyncEngine send")
    }

    public var description: String {
      "<SendChangesOptions: scope=\(scope), "
        + "operationGroup=\(operationGroup.operationGroupID)>"
    }
  }

  /// The reason and the options of a send.
  public struct SendChangesContext: Sendable, CustomStringConvertible {
    /// Whether the app or the engine's schedule started the send.
    public let reason: SyncReason
    /// The options of the send.
    public let options: SendChangesOptions

    public var description: String {
      "<SendChangesContext: reason=\(reason), options=\(options)>"
    }
  }
}
