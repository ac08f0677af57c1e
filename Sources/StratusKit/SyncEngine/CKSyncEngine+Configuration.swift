extension CKSyncEngine {
  /// The settings of a new engine.
  public struct Configuration: Sendable, CustomStringConvertible {
    /// The database to synchronize: the private or the shared database of a container.
    public var database: CKDatabase
    /// The state from the last ``Event/stateUpdate(_:)``; nil to start from the beginning.
    public var stateSerialization: State.Serialization?
    /// Handles the events. Choice: the engine holds a strong reference to its delegate. A delegate
    /// that also holds the engine must release the engine, so that both can be deallocated.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine sends and fetches by itself; true by default. If the value is false, the
    /// engine sends and fetches only in ``CKSyncEngine/sendChanges(_:)`` and
    /// ``CKSyncEngine/fetchChanges(_:)``.
    public var automaticallySync = true
    /// The ID of the subscription that announces changes. The engine creates the subscription if it
    /// does not exist. With nil, the default, the engine uses any subscription to the database, or
    /// creates one.
    public var subscriptionID: CKSubscription.ID?

    /// Makes a configuration. All other properties have their default values.
    public init(
      database: CKDatabase, stateSerialization: State.Serialization?,
      delegate: any CKSyncEngineDelegate
    ) {
      self.database = database
      self.stateSerialization = stateSerialization
      self.delegate = delegate
    }

    public var description: String {
      "<Configuration: database=\(database.databaseScope), "
        + "hasState=\(stateSerialization != nil), automaticallySync=\(automaticallySync), "
        + "subscriptionID=\(subscriptionID ?? "nil")>"
    }
  }

  /// The reason for a fetch or a send.
  public enum SyncReason: Sendable, Hashable, CustomStringConvertible {
    /// The engine's schedule started the fetch or send.
    case scheduled
    /// The app called ``CKSyncEngine/fetchChanges(_:)`` or ``CKSyncEngine/sendChanges(_:)``.
    case manual

    public var description: String {
      switch self {
      case .scheduled: "scheduled"
      case .manual: "manual"
      }
    }
  }
}
