import Synchronization

extension CKSyncEngine {
  /// The changes that are still to be sent and fetched.
  ///
  /// After a change of the state, the engine reports the newest state with an
  /// ``Event/stateUpdate(_:)``.
  public final class State: Sendable {
    private let content: Mutex<SyncState>
    private let observer = Mutex<(@Sendable (_ isToSend: Bool) -> Void)?>(nil)

    init(_ content: SyncState) { self.content = Mutex(content) }

    /// The changes of records to be sent, in the order in which they were added. Failed changes
    /// that stay pending move to the end, unless their failure has ended the send.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] { with { $0.orderedRecords() } }

    /// The changes of zones to be sent, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] { snapshot.zones.elements }

    /// Whether the app has changes that it has not added to the state. If so, the engine asks the
    /// delegate for batches even if no change is pending. A change of the account resets this value
    /// to false. Otherwise only the app changes it.
    public var hasPendingUntrackedChanges: Bool {
      get { with { $0.hasUntrackedChanges } }
      set { change(isToSend: newValue) { $0.setUntrackedChanges(newValue) } }
    }

    /// The zones with changes that the engine has not fetched from the server yet.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
      snapshot.unfetchedZones.elements
    }

    /// Adds changes at the end of the list. An engine that sends automatically schedules a send.
    ///
    /// A change that is already in the list keeps its position. If one record is to be saved and
    /// deleted, only the later change remains.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      if pendingRecordZoneChanges.isEmpty { return }
      change(isToSend: true) { $0.add(pendingRecordZoneChanges) }
    }

    /// Removes changes from the list.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      change(isToSend: false) { $0.remove(pendingRecordZoneChanges) }
    }

    /// Adds changes at the end of the list. An engine that sends automatically schedules a send.
    /// Changes of zones are sent before changes of records.
    ///
    /// A change that is already in the list keeps its position. If one zone is to be saved and
    /// deleted, only the later change remains.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      if pendingDatabaseChanges.isEmpty { return }
      change(isToSend: true) { $0.add(pendingDatabaseChanges) }
    }

    /// Removes changes from the list.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      change(isToSend: false) { $0.remove(pendingDatabaseChanges) }
    }

    private func change(isToSend: Bool, _ body: (inout SyncState) -> Void) {
      with(body)
      // NB: the observer is called outside the lock, because the observer reads the state.
      observer.withLock { $0 }?(isToSend)
    }
  }
}

extension CKSyncEngine.State {
  /// Calls the observer after each change that the app makes.
  func observe(_ observer: @escaping @Sendable (_ isToSend: Bool) -> Void) {
    self.observer.withLock { $0 = observer }
  }

  /// Reads or changes the state without a call of the observer.
  @discardableResult
  func with<R: Sendable>(_ body: (inout SyncState) -> R) -> R {
    content.withLock { body(&$0) }
  }

  var snapshot: SyncState { with { $0 } }

  /// A short text for logs.
  var summary: String { SavedSyncState(snapshot).summary }
}
