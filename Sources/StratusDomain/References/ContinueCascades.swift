import StratusWire

/// Continues deletions that cascade to more records than one transaction can delete. Each step is
/// one transaction.
public struct ContinueCascades: Sendable {
  private let store: any Store
  private let ambient: Ambient

  public init(store: any Store, ambient: Ambient) {
    self.store = store
    self.ambient = ambient
  }

  /// The maximum number of records that a step deletes.
  public static let stepMax = Limits.cascadeStepMax

  /// Runs one step.
  ///
  /// - Parameter limit: the maximum number of records.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Bool {
    let now = ambient.now()
    // Usually there is nothing to do. A read finds that out without blocking writers.
    let next = try await store.read { (store) throws(ServerError) in
      try store.unfinishedCascades(limit: 1).first
    }
    guard let next else { return false }
    let notificationID = ambient.makeUUID()
    return try await store.write(to: [next.zone.address]) { (store) throws(ServerError) in
      var budget = CascadeBudget(records: limit)
      let followers = FollowerBudget()
      var zone: Int64?
      while !budget.isEmpty {
        guard let cascade = try store.unfinishedCascades(limit: 1).first else { return false }
        // A step handles one zone, since transactions that lock several zones could deadlock.
        if let zone, zone != cascade.zone.id { return true }
        zone = cascade.zone.id
        try continueWork(
          cascade, within: &budget, followers, of: store, now: now, notificationID: notificationID)
      }
      return true
    }
  }

  private func continueWork(
    _ cascade: UnfinishedCascade, within budget: inout CascadeBudget,
    _ followers: FollowerBudget, of store: any StoreWriting, now: Int64, notificationID: String
  ) throws(ServerError) {
    guard
      let zone = try store.lockZone(named: cascade.zone.name, in: cascade.zone.database),
      zone.id == cascade.zone.id
    else {
      try store.finishCascade(cascade)
      budget.records -= 1
      return
    }
    let links = try store.links(
      .deleteSelf, to: cascade.target, after: cascade.cursor, in: zone, limit: budget.records)
    let hasMoreLinks = links.count >= budget.records
    let (sources, count) = try store.records(
      firstOf: links.map(\.source), in: zone, takingFrom: &budget.sizeBytes)
    budget.records -= max(1, count)
    let nearest = links.compactMap { sources[$0.source] }.filter {
      $0.change <= cascade.change && $0.type != UserRecords.recordType
    }
    let reach = try CascadeReach(
      to: nearest.map(\.name), in: zone, within: &budget, of: store)
    let stamp = Stamp(
      timestamp: now, userRecordName: cascade.userRecordName, deviceID: cascade.deviceID)
    let names = nearest.map(\.name)
    let going = names + reach.followers(of: names)
    let schema = try store.schema()
    var tombstones: [StoredRecord] = []
    var rows = RowChanges()
    for name in going {
      guard let stored = sources[name] ?? reach.records[name] else { continue }
      let change = zone.change + Int64(tombstones.count) + 1
      tombstones.append(stored.tombstone(change: change, modified: stamp))
      try rows.note(tombstones[tombstones.count - 1], replacing: stored, schema: schema)
    }
    try store.touchAssets(releasedBy: rows, now: now)
    let origin = ChangeOrigin(
      user: cascade.userRecordName,
      deviceID: cascade.deviceID == Caller.namelessDeviceID ? nil : cascade.deviceID,
      notificationID: notificationID, time: now)
    let hierarchies = try HierarchyReach(
      of: tombstones, in: zone, at: now, limit: followers.left, of: store)
    followers.take(hierarchies.examinedCount)
    let changes = ChangeSet(
      zone: zone, records: tombstones, rows: rows,
      watched: try store.watchForWriting(of: zone.database).change(
        of: tombstones, in: zone, by: origin, passages: hierarchies.passages
      ) { sources[$0.name] ?? reach.records[$0.name] },
      passages: hierarchies.passages)
    try store.apply(changes)
    for rest in hierarchies.unfinished { try store.addUnfinished(rest) }
    let effects = ShareEffects(
      address: zone.address, origin: origin, deviceID: cascade.deviceID, followers: followers)
    _ = try effects.endShares(deletedBy: tombstones, in: store) {
      sources[$0.name] ?? reach.records[$0.name]
    }
    if count == links.count, !hasMoreLinks {
      try store.finishCascade(cascade)
    } else {
      var rest = cascade
      rest.cursor = links[..<count].last?.source
      try store.addCascade(rest)
    }
    for target in going where reach.unexplored.contains(ExactName(target)) {
      try store.addCascade(
        UnfinishedCascade(
          zone: zone, target: target, change: changes.newestChange,
          userRecordName: cascade.userRecordName, deviceID: cascade.deviceID))
    }
  }
}
