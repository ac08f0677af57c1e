extension CKSyncEngine {
  /// What an engine is made with.
  public struct Configuration: Sendable, CustomStringConvertible {
    /// The database to keep in step: a private or the shared one.
    public var database: CKDatabase
    /// The state that the last ``Event/stateUpdate(_:)`` carried; nil: begin anew.
    public var stateSerialization: State.Serialization?
    /// Takes the events. Choice: the engine holds it, too; who owns both lets go of the engine.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine sends and fetches by itself; true by default. Otherwise it does so only
    /// when told.
    public var automaticallySync = true
    /// The subscription to hear of changes by, made where it does not exist; nil, the default: any
    /// subscription to the database, else a new one.
    public var subscriptionID: CKSubscription.ID?

    /// A configuration with the defaults.
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

  /// Why something is fetched or sent.
  public enum SyncReason: Sendable, Hashable, CustomStringConvertible {
    /// By the engine itself.
    case scheduled
    /// By ``CKSyncEngine/fetchChanges(_:)`` or ``CKSyncEngine/sendChanges(_:)``.
    case manual

    public var description: String {
      switch self {
      case .scheduled: "scheduled"
      case .manual: "manual"
      }
    }
  }
}
