import StratusWire
import Synchronization

/// Continues changes of shared hierarchies that concern more records than one transaction can
/// change. Each step is one transaction.
public struct ContinueHierarchies: Sendable {
  private let store: any Store
  private let ambient: Ambient
  private let turns: HierarchyTurns

  /// - Parameter turns: lets the zones of the store take turns.
  public init(store: any Store, ambient: Ambient, turns: HierarchyTurns = HierarchyTurns()) {
    self.store = store
    self.ambient = ambient
    self.turns = turns
  }

  /// The maximum number of records that a step changes.
  public static let stepMax = Limits.hierarchyStepMax

  /// Runs one step in the zone whose turn it is.
  ///
  /// - Parameter limit: the maximum number of records.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Bool {
    let now = ambient.now()
    let last = turns.last
    // Usually there is nothing to do. A read finds that out without blocking writers.
    let next = try await store.read { (store) throws(ServerError) in
      let next = try store.unfinishedHierarchies(after: last, limit: 1).first
      if next != nil || last == nil { return next }
      return try store.unfinishedHierarchies(after: nil, limit: 1).first
    }
    guard let next else { return false }
    turns.last = next.zone
    let notificationID = ambient.makeUUID()
    return try await store.write(to: [next.zone.address]) { (store) throws(ServerError) in
      var room = limit
      while room > 0 {
        guard let parent = try store.unfinishedHierarchies(in: next.zone, limit: 1).first
        else { return true }
        try store.finish(parent)
        guard let zone = try store.lockZone(named: next.zone.name, in: next.zone.database),
          zone.id == next.zone.id
        else { return true }
        let reach = try HierarchyReach(
          continuing: parent, in: zone, at: now, limit: room, of: store)
        for rest in reach.unfinished { try store.addUnfinished(rest) }
        room -= max(Self.recordsPerParent, reach.examinedCount)
        if reach.passages.isEmpty { continue }
        // The owner's records did not change. Only participants get a notification.
        let origin = ChangeOrigin(
          user: "", deviceID: nil, notificationID: notificationID, time: now)
        try store.apply(
          ChangeSet(
            zone: zone, records: [],
            watched: try store.watchForWriting(of: zone.database)
              .change(of: reach.passages, in: zone, by: origin), passages: reach.passages))
      }
      return true
    }
  }

  /// The minimum work that is counted for a parent, as a number of records. It is counted even if
  /// the parent has no children.
  private static let recordsPerParent = 4
}

/// Lets the zones of one store take turns, so that one user's large moves do not delay the moves of
/// other users.
public final class HierarchyTurns: Sendable {
  private let zone = Mutex<StoredZone?>(nil)

  public init() {}

  /// The zone of the last step.
  fileprivate var last: StoredZone? {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }
}

/// The ``HierarchyTurns`` of all stores.
public final class HierarchyTurnsOfStores: Sendable {
  private let turns = Mutex<[StoreAddress: HierarchyTurns]>([:])

  public init() {}

  public subscript(address: StoreAddress) -> HierarchyTurns {
    turns.withLock { turns in
      if let known = turns[address] { return known }
      let new = HierarchyTurns()
      turns[address] = new
      return new
    }
  }
}

extension Watch {
  /// Returns the outbox change for passages whose records were not written. Returns nil if there
  /// are no passages, or if no shared database contains zones of this database.
  func change(
    of passages: [Passage], in zone: StoredZone, by origin: ChangeOrigin
  ) -> WatchedChange? {
    guard hasParticipants, let newest = passages.map(\.change).max() else { return nil }
    let range = ChangeRange(after: zone.change, through: newest)
    return WatchedChange(
      zone: zone,
      event: .recordsChanged(
        range, recordTypes: [], hierarchies: TouchedHierarchy.all(in: passages)),
      origin: origin)
  }
}
