import StratusWire

/// Writes the effects of saved, changed and deleted shares: the share marks of root records, the
/// links of URLs, hierarchies, and the participations of users. Everything happens in the
/// transaction that changes the share.
struct ShareEffects {
  let address: ZoneAddress
  let origin: ChangeOrigin
  /// The ID of the writing device, which the written records contain.
  let deviceID: String
  var followers = FollowerBudget()

  /// The device ID in records that the service itself writes.
  static let serviceDeviceID = "iCloud"

  // Records

  /// Writes a new state of one record. All earlier changes of the zone must have been written.
  ///
  /// - Parameters:
  ///   - new: the new state. Its change number, revision and stamp are replaced.
  ///   - old: the stored state.
  @discardableResult
  func rewrite(
    _ new: StoredRecord, replacing old: StoredRecord, by deviceID: String? = nil,
    in store: any StoreWriting
  ) throws(ServerError) -> StoredRecord {
    let zone = try zone(in: store)
    var record = new
    record.follow(old, change: zone.change + 1)
    record.modified = Stamp(
      timestamp: origin.time, userRecordName: origin.user, deviceID: deviceID ?? self.deviceID)
    let reach = try HierarchyReach(
      of: [record], in: zone, at: origin.time, limit: followers.left, of: store)
    followers.take(reach.examinedCount)
    var rows = RowChanges()
    try rows.note(record, replacing: old, schema: try store.schema())
    try store.touchAssets(releasedBy: rows, now: origin.time)
    try store.apply(
      ChangeSet(
        zone: zone, records: [record], rows: rows,
        watched: try store.watchForWriting(of: zone.database).change(
          of: [record], in: zone, by: origin, passages: reach.passages
        ) { _ in old },
        passages: reach.passages))
    for rest in reach.unfinished { try store.addUnfinished(rest) }
    return record
  }

  private func zone(in store: any StoreWriting) throws(ServerError) -> StoredZone {
    guard let zone = try store.lockZone(named: address.name, in: address.database) else {
      throw .fault("the zone of a share has no row")
    }
    return zone
  }

  // Shares

  /// Begins to share a root or the whole zone, after the share record was saved.
  ///
  /// - Returns: the root's new state, or nil if the whole zone is shared.
  func begin(
    _ state: ShareState, named name: String, in store: any StoreWriting
  ) throws(ServerError) -> StoredRecord? {
    let zone = try zone(in: store)
    try store.keep(
      ShareLink(
        rootName: state.rootRecordName, shortGUID: state.shortGUID, shareName: name), in: zone)
    guard let root = state.rootRecordName else { return nil }
    let marked = try mark(
      root, ShareMark(shareRecordName: name, shortGUID: state.shortGUID), in: store)
    try store.beginHierarchy(of: root, in: address, at: origin.time, within: followers)
    return marked
  }

  /// Ends a share whose record has been deleted or will be deleted.
  ///
  /// - Returns: the root's new state, or nil if the root is gone or the whole zone was shared.
  func end(
    _ state: ShareState, in store: any StoreWriting
  ) throws(ServerError) -> StoredRecord? {
    let zone = try zone(in: store)
    try store.keep(
      ShareLink(
        rootName: state.rootRecordName, shortGUID: state.shortGUID, shareName: nil), in: zone)
    for user in state.members.keys.sorted() {
      try store.leave(zone, root: state.rootRecordName, user: user, at: origin.time)
      try announce(to: user, in: zone, store)
    }
    if !state.members.isEmpty { try store.retireKeys(of: zone, root: state.rootRecordName) }
    guard let root = state.rootRecordName else { return nil }
    let unmarked = try mark(
      root, ShareMark(shareRecordName: nil, shortGUID: state.shortGUID), in: store)
    try store.endHierarchy(of: root, in: address, at: origin.time, within: followers)
    return unmarked
  }

  /// Sets the share mark of a live record, and returns its new state. Returns nil if there is no
  /// such record.
  func mark(
    _ name: String, _ mark: ShareMark, in store: any StoreWriting
  ) throws(ServerError) -> StoredRecord? {
    guard let old = try store.records(named: [name], in: try zone(in: store))[name] else {
      return nil
    }
    if try old.shareMark() == mark { return old }
    var new = old
    try new.set(mark)
    return try rewrite(new, replacing: old, in: store)
  }

  /// Lets users join and leave the share, so that its members are those of the new state.
  func settle(
    from old: ShareState?, to new: ShareState, in store: any StoreWriting
  ) throws(ServerError) {
    let zone = try zone(in: store)
    let (before, after) = (old?.members ?? [:], new.members)
    for user in before.keys.sorted() where after[user] == nil {
      try store.leave(zone, root: new.rootRecordName, user: user, at: origin.time)
      try announce(to: user, in: zone, store)
    }
    if before.keys.contains(where: { after[$0] == nil }) {
      try store.retireKeys(of: zone, root: new.rootRecordName)
    }
    for (user, access) in after.sorted(by: { $0.key < $1.key }) {
      if let known = before[user], known == access { continue }
      try store.join(
        zone, root: new.rootRecordName, permission: access.permission,
        isAdministrator: access.administers, user: user)
      if before[user] == nil { try announce(to: user, in: zone, store) }
    }
  }

  /// Removes a user from a share at the user's own wish.
  func leave(
    _ share: StoredRecord, _ state: ShareState, user: String, in store: any StoreWriting
  ) throws(ServerError) {
    try settle(from: state, to: try strike(user, from: share, state, in: store), in: store)
  }

  /// Ends a user's participation in the whole zone at the user's own wish. The records of the
  /// shares still list the user.
  func leaveZone(
    _ zone: StoredZone, user: String, in store: any StoreWriting
  ) throws(ServerError) {
    try store.unlist(zone, inSharedDatabaseOf: user, at: origin.time)
    try announce(to: user, in: zone, store)
  }

  /// Writes into a share's record that a user has left the share.
  @discardableResult
  func strike(
    _ user: String, from share: StoredRecord, _ state: ShareState, in store: any StoreWriting
  ) throws(ServerError) -> ShareState {
    let new = state.without(user)
    var record = share
    try record.set(new)
    try rewrite(record, replacing: share, by: Self.serviceDeviceID, in: store)
    return new
  }

  /// Adds an entry to the outbox, so that the user's devices get a notification that the user
  /// joined or left a share. Adds nothing if the user has no subscription to the shared database.
  private func announce(
    to user: String, in zone: StoredZone, _ store: any StoreWriting
  ) throws(ServerError) {
    guard try store.subscriptionCount(of: user, in: .shared(user: user)) > 0 else { return }
    try store.add(
      WatchedChange(zone: zone, event: .participationChanged(user: user), origin: origin))
  }

  // Batches

  /// Ends the shares of deleted roots, and the shares whose own records were deleted.
  ///
  /// - Parameters:
  ///   - records: the written records.
  ///   - isNew: whether a saved record replaces one that counted as deleted. The share of the
  ///     earlier record ends.
  ///   - old: returns the state of a record before the change.
  /// - Returns: the new states of roots that are no longer shared.
  func endShares(
    deletedBy records: [StoredRecord], in store: any StoreWriting,
    isNew: (StoredRecord) -> Bool = { _ in false }, replacing old: (StoredRecord) -> StoredRecord?
  ) throws(ServerError) -> [StoredRecord] {
    var unmarked: [StoredRecord] = []
    // NB: a loop over the positions does not copy the records that are not examined.
    for position in records.indices
    where records[position].isDeleted || isNew(records[position]) {
      guard let before = old(records[position]), before.hasSharing else { continue }
      if let state = try before.shareState() {
        if let root = try end(state, in: store) { unmarked.append(root) }
      } else if let name = try before.shareMark()?.shareRecordName {
        if let root = try endShare(named: name, in: store) { unmarked.append(root) }
      }
    }
    return unmarked
  }

  /// Deletes the share of a deleted root, unless the same batch has deleted the share already.
  ///
  /// - Returns: the new state of a record that took the place of the root, or nil if there is none.
  private func endShare(
    named name: String, in store: any StoreWriting
  ) throws(ServerError) -> StoredRecord? {
    guard let share = try store.records(named: [name], in: try zone(in: store))[name],
      let state = try share.shareState()
    else { return nil }
    let root = try end(state, in: store)
    try delete(share, in: store)
    return root
  }

  /// Deletes a share that was saved and has not begun yet. The batch that saved the share also
  /// deleted its root.
  func deleteNew(_ name: String, in store: any StoreWriting) throws(ServerError) {
    let zone = try zone(in: store)
    guard let share = try store.records(named: [name], in: zone)[name] else { return }
    try delete(share, in: store)
  }

  private func delete(_ share: StoredRecord, in store: any StoreWriting) throws(ServerError) {
    let stamp = Stamp(timestamp: origin.time, userRecordName: origin.user, deviceID: deviceID)
    try rewrite(share.tombstone(change: 0, modified: stamp), replacing: share, in: store)
  }
}
