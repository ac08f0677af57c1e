extension CKSyncEngine {
  /// What an engine tells its delegate.
  public enum Event: Sendable, CustomStringConvertible {
    /// The state is another: store it.
    case stateUpdate(StateUpdate)
    /// Somebody has signed in or out.
    case accountChange(AccountChange)
    /// Zones were made, changed or deleted by others.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records were made, changed or deleted by others.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zones were saved and deleted, or not.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// Records were saved and deleted, or not.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// A fetch begins.
    case willFetchChanges(WillFetchChanges)
    /// The fetch of a zone begins.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// The fetch of a zone has ended.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// The fetch has ended.
    case didFetchChanges(DidFetchChanges)
    /// Changes are about to be sent.
    case willSendChanges(WillSendChanges)
    /// No more is sent.
    case didSendChanges(DidSendChanges)

    public var description: String {
      switch self {
      case .stateUpdate(let event): "stateUpdate(\(event))"
      case .accountChange(let event): "accountChange(\(event))"
      case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges(\(event))"
      case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges(\(event))"
      case .sentDatabaseChanges(let event): "sentDatabaseChanges(\(event))"
      case .sentRecordZoneChanges(let event): "sentRecordZoneChanges(\(event))"
      case .willFetchChanges(let event): "willFetchChanges(\(event))"
      case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event))"
      case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges(\(event))"
      case .didFetchChanges(let event): "didFetchChanges(\(event))"
      case .willSendChanges(let event): "willSendChanges(\(event))"
      case .didSendChanges(let event): "didSendChanges(\(event))"
      }
    }
  }
}

extension CKSyncEngine.Event {
  /// The state is another.
  public struct StateUpdate: Sendable, CustomStringConvertible {
    /// To be stored, together with what came before, and given to the next engine.
    public let stateSerialization: CKSyncEngine.State.Serialization

    public var description: String { "<StateUpdate: \(stateSerialization.saved.summary)>" }
  }

  /// Somebody has signed in or out since the state was last stored.
  ///
  /// With it the engine has forgotten all it knew of the last user, pending changes included.
  public struct AccountChange: Sendable, CustomStringConvertible {
    /// Who was and is signed in.
    public enum ChangeType: Sendable, Equatable {
      case signIn(currentUser: CKRecord.ID)
      case signOut(previousUser: CKRecord.ID)
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }

    public let changeType: ChangeType

    public var description: String { "<AccountChange: \(changeType)>" }
  }

  /// What others did to zones.
  public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
    /// Zones that are new, or in which something has changed; what, comes later.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// Zones that are no more.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]

    public var description: String {
      "<FetchedDatabaseChanges: modifications=\(modifications.map(\.zoneID)), "
        + "deletions=\(deletions.map(\.zoneID))>"
    }
  }

  /// What others did to records of one zone.
  public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
    /// Records that are new or have changed.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// Records that are no more.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]

    public var description: String {
      "<FetchedRecordZoneChanges: modifications=\(modifications.map(\.record.recordID)), "
        + "deletions=\(deletions.map(\.recordID))>"
    }
  }
}
