extension CKSyncEngine {
  /// The options of a fetch.
  public struct FetchChangesOptions: Sendable, CustomStringConvertible {
    /// The zones whose changes are fetched.
    public enum Scope: Sendable, Equatable, CustomStringConvertible {
      /// The changes of all zones.
      case all
      /// The changes of all zones except these.
      case allExcluding([CKRecordZone.ID])
      /// The changes of these zones.
      case zoneIDs([CKRecordZone.ID])

      /// Whether a zone's changes are to be fetched.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        }
      }

      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs))"
        case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs))"
        }
      }
    }

    /// The zones whose changes are fetched; `.all` by default. The other zones that have changes
    /// stay in ``State/zoneIDsWithUnfetchedServerChanges``.
    public var scope: Scope
    /// The group that the requests belong to.
    public var operationGroup: CKOperationGroup
    /// Zones to fetch before all others, in this order; none by default.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// - Parameter operationGroup: the group that the requests belong to; nil for a new group.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup(named: "CKSyncEngine fetch")
    }

    public var description: String {
      "<FetchChangesOptions: scope=\(scope), prioritizedZoneIDs=\(prioritizedZoneIDs), "
        + "operationGroup=\(operationGroup.operationGroupID)>"
    }
  }

  /// The reason and the options of a fetch.
  public struct FetchChangesContext: Sendable, CustomStringConvertible {
    /// Whether the app or the engine's schedule started the fetch.
    public let reason: SyncReason
    /// The options of the fetch.
    public let options: FetchChangesOptions

    public var description: String {
      "<FetchChangesContext: reason=\(reason), options=\(options)>"
    }
  }
}

extension CKOperationGroup {
  /// Makes a group for the requests of one fetch or send.
  convenience init(named name: String) {
    self.init()
    self.name = name
  }
}
