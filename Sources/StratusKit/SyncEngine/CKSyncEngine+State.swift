import Synchronization

extension CKSyncEngine {
  /// What is still to be sent and fetched.
  ///
  /// A change made to it is followed by an ``Event/stateUpdate(_:)``.
  public final class State: Sendable {
    private let content: Mutex<SyncState>
    private let observer = Mutex<(@Sendable (_ isToSend: Bool) -> Void)?>(nil)

    init(_ content: SyncState) { self.content = Mutex(content) }

    /// The changes of records to be sent, in the order in which they were added.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] { with { $0.laidOutRecords() } }

    /// The changes of zones to be sent, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] { snapshot.zones.elements }

    /// Whether the app has changes that it has not added: the engine then asks for batches all the
    /// same. The app sets it, both ways.
    public var hasPendingUntrackedChanges: Bool {
      get { with { $0.hasUntrackedChanges } }
      set { change(isToSend: newValue) { $0.setUntrackedChanges(newValue) } }
    }

    /// Zones that have changes on the server which have not been fetched.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
      snapshot.unfetchedZones.elements
    }

    /// Adds changes at the end of the list, and has them sent.
    ///
    /// One that is there keeps its place; of saving and deleting one record the later remains.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      if pendingRecordZoneChanges.isEmpty { return }
      change(isToSend: true) { $0.add(pendingRecordZoneChanges) }
    }

    /// Takes changes from the list.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      change(isToSend: false) { $0.remove(pendingRecordZoneChanges) }
    }

    /// Adds changes at the end of the list, and has them sent, before those of records.
    ///
    /// One that is there keeps its place; of saving and deleting one zone the later remains.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      if pendingDatabaseChanges.isEmpty { return }
      change(isToSend: true) { $0.add(pendingDatabaseChanges) }
    }

    /// Takes changes from the list.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      change(isToSend: false) { $0.remove(pendingDatabaseChanges) }
    }

    private func change(isToSend: Bool, _ body: (inout SyncState) -> Void) {
      with(body)
      // NB: not under the lock, since the engine looks at the state.
      observer.withLock { $0 }?(isToSend)
    }
  }
}

extension CKSyncEngine.State {
  /// Has the engine told of what the app does.
  func observe(_ observer: @escaping @Sendable (_ isToSend: Bool) -> Void) {
    self.observer.withLock { $0 = observer }
  }

  /// Reads or changes it, without telling the engine.
  @discardableResult
  func with<R: Sendable>(_ body: (inout SyncState) -> R) -> R {
    content.withLock { body(&$0) }
  }

  var snapshot: SyncState { with { $0 } }

  /// For people.
  var summary: String { SavedSyncState(snapshot).summary }
}
