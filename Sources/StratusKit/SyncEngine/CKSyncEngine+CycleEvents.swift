extension CKSyncEngine.Event {
  /// A fetch begins.
  public struct WillFetchChanges: Sendable, CustomStringConvertible {
    /// The reason for the fetch, and its options.
    public let context: CKSyncEngine.FetchChangesContext

    public var description: String { "<WillFetchChanges: context=\(context)>" }
  }

  /// The fetch of a zone begins.
  public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
    /// The zone whose changes the engine fetches next.
    public let zoneID: CKRecordZone.ID

    public var description: String { "<WillFetchRecordZoneChanges: zoneID=\(zoneID)>" }
  }

  /// The fetch of a zone has ended.
  public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
    /// The zone whose changes were fetched.
    public let zoneID: CKRecordZone.ID
    /// The reason why the zone was not fetched completely. The error is nil if the zone was fetched
    /// completely, or if the delegate's options put another zone before the rest of this one.
    public let error: CKError?

    public var description: String {
      "<DidFetchRecordZoneChanges: zoneID=\(zoneID), error=\(error.map { "\($0.code)" } ?? "nil")>"
    }
  }

  /// The fetch has ended.
  public struct DidFetchChanges: Sendable, CustomStringConvertible {
    /// The reason for the fetch, and its options.
    public let context: CKSyncEngine.FetchChangesContext

    public var description: String { "<DidFetchChanges: context=\(context)>" }
  }

  /// Changes are about to be sent.
  public struct WillSendChanges: Sendable, CustomStringConvertible {
    /// The reason for the send, and its options.
    public let context: CKSyncEngine.SendChangesContext

    public var description: String { "<WillSendChanges: context=\(context)>" }
  }

  /// The send has ended.
  public struct DidSendChanges: Sendable, CustomStringConvertible {
    /// The reason for the send, and its options.
    public let context: CKSyncEngine.SendChangesContext

    public var description: String { "<DidSendChanges: context=\(context)>" }
  }
}
