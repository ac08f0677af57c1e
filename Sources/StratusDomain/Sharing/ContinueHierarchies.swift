import StratusWire

/// Continues changes of shared hierarchies that concern more records than one transaction can
/// change. Each step is one transaction.
public struct ContinueHierarchies: Sendable {
  private let store: any Store
  private let ambient: Ambient

  public init(store: any Store, ambient: Ambient) {
    self.store = store
    self.ambient = ambient
  }

  /// The maximum number of records that a step changes.
  public static let stepMax = Limits.hierarchyStepMax

  /// Runs one step.
  ///
  /// - Parameter limit: the maximum number of records.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Bool {
    let now = ambient.now()
    // Usually there is nothing to do. A read finds that out without blocking writers.
    let isDone = try await store.read { (store) throws(ServerError) in
      try store.unfinishedHierarchies(limit: 1).isEmpty
    }
    if isDone { return false }
    let notificationID = ambient.makeUUID()
    return try await store.write { (store) throws(ServerError) in
      guard let hierarchy = try store.unfinishedHierarchies(limit: 1).first else { return false }
      try store.finish(hierarchy)
      guard
        let zone = try store.lockZone(named: hierarchy.zone.name, in: hierarchy.zone.database),
        zone.id == hierarchy.zone.id
      else { return true }
      let reach = try HierarchyReach(
        continuing: hierarchy, in: zone, at: now, limit: limit, of: store)
      for rest in reach.unfinished { try store.addUnfinished(rest) }
      if reach.passages.isEmpty { return true }
      // The owner's records did not change. Only participants get a notification.
      let origin = ChangeOrigin(
        user: "", deviceID: nil, notificationID: notificationID, time: now)
      try store.apply(
        ChangeSet(
          zone: zone, records: [],
          watched: try store.watchForWriting(of: zone.database)
            .change(of: reach.passages, in: zone, by: origin), passages: reach.passages))
      return true
    }
  }
}

extension Watch {
  /// Returns the change to add to the outbox for passages of records that did not change
  /// themselves, or nil if no subscription watches the records.
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
