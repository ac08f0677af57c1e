extension CKSyncEngine {
  /// An event that an engine reports to its delegate.
  public enum Event: Sendable, CustomStringConvertible {
    /// The state has changed, and the app has to store it.
    case stateUpdate(StateUpdate)
    /// An account has signed in or out.
    case accountChange(AccountChange)
    /// The engine has fetched new, changed and deleted zones.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// The engine has fetched new, changed and deleted records.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// The server has answered a request to save and delete zones.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// The server has answered a request to save and delete records.
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
    /// The send has ended.
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
  /// The state has changed.
  public struct StateUpdate: Sendable, CustomStringConvertible {
    /// The new state. Store the state together with the data that arrived before it, and pass it to
    /// the next engine.
    public let stateSerialization: CKSyncEngine.State.Serialization

    public var description: String { "<StateUpdate: \(stateSerialization.saved.summary)>" }
  }

  /// A user has signed in or out since the engine's last check. The stored state contains the
  /// account that the last check found.
  ///
  /// The engine has discarded its state of the previous account, including pending changes.
  public struct AccountChange: Sendable, CustomStringConvertible {
    /// The accounts before and after the change.
    public enum ChangeType: Sendable, Equatable {
      /// A user has signed in.
      case signIn(currentUser: CKRecord.ID)
      /// The user has signed out.
      case signOut(previousUser: CKRecord.ID)
      /// Another user has signed in.
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }

    /// The kind of the change, with the accounts before and after it.
    public let changeType: ChangeType

    public var description: String { "<AccountChange: \(changeType)>" }
  }

  /// Changes of zones on the server.
  public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
    /// Zones that are new or have changes. Later events report their records.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// Zones that were deleted.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]

    public var description: String {
      "<FetchedDatabaseChanges: modifications=\(modifications.map(\.zoneID)), "
        + "deletions=\(deletions.map(\.zoneID))>"
    }
  }

  /// Changes of the records of one zone on the server.
  public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
    /// Records that are new or have changed.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// Records that were deleted.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]

    public var description: String {
      "<FetchedRecordZoneChanges: modifications=\(modifications.map(\.record.recordID)), "
        + "deletions=\(deletions.map(\.recordID))>"
    }
  }
}
