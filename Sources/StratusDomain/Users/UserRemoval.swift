public import StratusWire

/// The position of the removal of a user's data in one store.
public struct UserRemovalProgress: Sendable, Hashable {
  /// The last change of the public database that was examined.
  public var publicAfter: Int64
  /// The newest change of the public database that must be examined, or nil if the examination has
  /// not begun. Later changes are made by the removal itself or by other users.
  public var publicThrough: Int64?

  public init(publicAfter: Int64 = 0, publicThrough: Int64? = nil) {
    self.publicAfter = publicAfter
    self.publicThrough = publicThrough
  }
}

/// Removes everything of a user from a store, in bounded steps. Each step is one transaction, and
/// can be repeated after a crash.
///
/// The user leaves the shares of others. The private database disappears with its shares. Public
/// records stay without the user's name, or are deleted.
public struct UserRemoval: Sendable {
  /// The name of a removed user in records that stay. It is the same for all removed users, so that
  /// the name does not tell which records belonged together.
  ///
  /// Choice: Apple does not document what remains of a deleted Apple Account.
  public static let removedUser = "_removed"
  /// The maximum number of records, or of rows of one kind, that one transaction removes. Such a
  /// transaction hardly delays other writers.
  public static let stepMax = 500
  private static let stepSizeBytesMax = 4 * 1_048_576

  let tickets: AssetTickets
  let ambient: Ambient
  let cascades: any Signals
  let changes: any Signals

  /// Runs one step.
  ///
  /// - Parameters:
  ///   - user: the user record name.
  ///   - counts: gets the numbers of removed things by kind.
  /// - Returns: whether there may be more to do.
  public func step(
    _ user: String, in store: any Store, at address: StoreAddress,
    publicRecords: PublicRecordsChoice, _ progress: inout UserRemovalProgress,
    counts: inout [String: Int64]
  ) async throws(ServerError) -> Bool {
    if try await leaveZone(of: user, in: store, at: address) {
      counts["sharesLeft", default: 0] += 1
      return true
    }
    if let records = try await deleteZone(of: user, in: store, at: address) {
      counts["zones", default: 0] += 1
      counts["records", default: 0] += records
      return true
    }
    if try await PurgeZones(store: store, ambient: ambient).step(limit: Self.stepMax) {
      return true
    }
    let rows = try await removeRows(of: user, in: store)
    if !rows.isEmpty {
      for (kind, count) in rows { counts[kind, default: 0] += Int64(count) }
      return true
    }
    return try await removePublicRecords(
      of: user, in: store, at: address, publicRecords, &progress, counts: &counts)
  }

  // Shares of others

  /// Leaves the shares of one zone.
  ///
  /// - Returns: false if the user participates in no zone.
  private func leaveZone(
    of user: String, in store: any Store, at address: StoreAddress
  ) async throws(ServerError) -> Bool {
    let next = try await store.read { (store) throws(ServerError) in
      try store.sharedZones(of: user, after: 0, limit: 1).first
    }
    guard let next else { return false }
    let now = ambient.now()
    let database = OpenDatabase(
      store: store, address: address, view: .shared(user: user),
      caller: Caller(
        userRecordName: user, deviceID: Caller.namelessDeviceID, requestUUID: ambient.makeUUID()),
      tickets: tickets, openedAt: now)
    // NB: a share's record names the user who changed it last. This must not be the removed user.
    let origin = origin(Self.removedUser, now)
    try await store.write(to: [next.address]) { (store) throws(ServerError) in
      let effects = ShareEffects(
        address: next.address, origin: origin, deviceID: ShareEffects.serviceDeviceID)
      do throws(ServerError) {
        try LeaveShares(database: database, effects: effects, user: user).leaveZone(in: store)
      } catch {
        // The owner may have deleted the zone or removed the user a moment ago.
        guard error.code == .zoneNotFound else { throw error }
      }
    }
    cascades.send(StoreSignal(address))
    changes.send(StoreSignal(address))
    return true
  }

  // The private database

  /// Deletes one zone of the private database, with its shares. ``PurgeZones`` removes its records.
  ///
  /// - Returns: the number of the zone's records, or nil if there is no zone.
  private func deleteZone(
    of user: String, in store: any Store, at address: StoreAddress
  ) async throws(ServerError) -> Int64? {
    let key = DatabaseKey.private(owner: user)
    let next = try await store.read { (store) throws(ServerError) in
      try store.zones(in: key, after: nil, limit: 1).first
    }
    guard let next else { return nil }
    let origin = origin(user, ambient.now())
    let (records, isWatched) = try await store.write(to: [next.address]) {
      (store) throws(ServerError) in
      guard let zone = try store.lockZone(named: next.name, in: key) else {
        return (Int64(0), false)
      }
      let before = try store.recordsCount(of: key)
      let isWatched = try store.saveWord(.zoneDeleted, of: zone, by: origin)
      try store.deleteZone(zone, reason: .deleted, at: origin.time)
      return (before - (try store.recordsCount(of: key)), isWatched)
    }
    if isWatched { changes.send(StoreSignal(address)) }
    return records
  }

  private func removeRows(
    of user: String, in store: any Store
  ) async throws(ServerError) -> [String: Int] {
    let views: [DatabaseView] = [.public, .private(user: user), .shared(user: user)]
    return try await store.write { (store) throws(ServerError) in
      var counts: [String: Int] = [:]
      try store.releaseKeptZones(of: .private(owner: user))
      for view in views {
        let found = try store.subscriptions(of: user, in: view, limit: Self.stepMax)
        for subscription in found { try store.removeSubscription(number: subscription.number) }
        if !found.isEmpty { counts["subscriptions", default: 0] += found.count }
      }
      if !(try store.schema().customRoles(of: user).isEmpty) {
        _ = try store.set(roles: [], ofUser: user)
        counts["roles", default: 0] += 1
      }
      if try store.quota(ofUser: user) != nil {
        try store.set(nil, ofUser: user)
        counts["quotas", default: 0] += 1
      }
      counts.merge(try store.removeRows(ofUser: user, limit: Self.stepMax)) { $0 + $1 }
      return counts
    }
  }

  // The public database

  /// Examines some records of the public database.
  ///
  /// - Returns: whether there are more to examine.
  private func removePublicRecords(
    of user: String, in store: any Store, at address: StoreAddress, _ choice: PublicRecordsChoice,
    _ progress: inout UserRemovalProgress, counts: inout [String: Int64]
  ) async throws(ServerError) -> Bool {
    let asked = progress
    let (page, through) = try await store.read { (store) throws(ServerError) in
      guard let zone = try store.zone(named: ZoneID.defaultZoneName, in: .public) else {
        return ([StoredRecord](), Int64(0))
      }
      let through = asked.publicThrough ?? zone.change
      return (try Self.page(of: zone, after: asked.publicAfter, through: through, store), through)
    }
    guard let last = page.last else { return false }
    progress.publicThrough = through
    progress.publicAfter = last.change
    guard page.contains(where: { $0.names(user) }) else { return true }
    let origin = origin(Self.removedUser, ambient.now())
    let zone = ZoneAddress(database: .public, name: ZoneID.defaultZoneName)
    let result = try await store.write(to: [zone]) { (store) throws(ServerError) in
      guard let zone = try store.lockZone(named: ZoneID.defaultZoneName, in: .public) else {
        return PublicResult()
      }
      let found = try Self.page(
        of: zone, after: asked.publicAfter, through: last.change, store
      ).filter { $0.names(user) }
      return try Self.rewrite(found, of: user, choice, by: origin, in: store)
    }
    if result.anonymized > 0 { counts["publicRecordsKept", default: 0] += result.anonymized }
    if result.deleted > 0 { counts["publicRecordsDeleted", default: 0] += result.deleted }
    if result.deleted > 0 {
      cascades.send(StoreSignal(address))
      changes.send(StoreSignal(address))
    }
    return true
  }

  private struct PublicResult: Sendable {
    var anonymized: Int64 = 0
    var deleted: Int64 = 0
  }

  private static func page(
    of zone: StoredZone, after: Int64, through: Int64, _ store: any StoreReading
  ) throws(ServerError) -> [StoredRecord] {
    guard after < through else { return [] }
    return try store.recordChanges(
      in: zone, range: ChangeRange(after: after, through: through), newestFirst: false,
      limit: stepMax, sizeBytesMax: stepSizeBytesMax)
  }

  /// Replaces the user's name in records that stay, and deletes the other records.
  private static func rewrite(
    _ records: [StoredRecord], of user: String, _ choice: PublicRecordsChoice,
    by origin: ChangeOrigin, in store: any StoreWriting
  ) throws(ServerError) -> PublicResult {
    var (kept, gone): ([(StoredRecord, StoredRecord)], [(StoredRecord, StoredRecord)]) = ([], [])
    let stamp = Stamp(
      timestamp: origin.time, userRecordName: removedUser, deviceID: Caller.namelessDeviceID)
    for old in records {
      var new = old
      new.created.remove(user)
      new.modified.remove(user)
      let isUsers = old.name == user && old.type == UserRecords.recordType
      if !old.isDeleted, isUsers || choice == .delete && old.created.userRecordName == user {
        new = new.tombstone(change: 0, modified: stamp)
        gone.append((new, old))
      } else {
        kept.append((new, old))
      }
    }
    // NB: subscriptions do not report records that only lose the user's name.
    try write(kept, watchedBy: nil, in: store)
    try write(gone, watchedBy: origin, in: store)
    return PublicResult(
      anonymized: Int64(kept.count { !$0.1.isDeleted }), deleted: Int64(gone.count))
  }

  private static func write(
    _ records: [(StoredRecord, StoredRecord)], watchedBy origin: ChangeOrigin?,
    in store: any StoreWriting
  ) throws(ServerError) {
    if records.isEmpty { return }
    guard let zone = try store.lockZone(named: ZoneID.defaultZoneName, in: .public) else { return }
    let schema = try store.schema()
    var rows = RowChanges()
    var written: [StoredRecord] = []
    var earlier: [ExactName: StoredRecord] = [:]
    for (record, old) in records {
      var record = record
      record.follow(old, change: zone.change + Int64(written.count) + 1)
      try rows.note(record, replacing: old.isDeleted ? nil : old, schema: schema)
      written.append(record)
      earlier[ExactName(old.name)] = old
    }
    var watched: WatchedChange?
    if let origin {
      try store.touchAssets(releasedBy: rows, now: origin.time)
      watched = try store.watchForWriting(of: .public).change(
        of: written, in: zone, by: origin
      ) { earlier[ExactName($0.name)] }
    }
    let set = ChangeSet(zone: zone, records: written, rows: rows, watched: watched)
    try store.apply(set)
    for record in written
    where record.isDeleted && earlier[ExactName(record.name)]?.isDeleted == false {
      guard
        !(try store.links(.deleteSelf, to: record.name, after: nil, in: zone, limit: 1).isEmpty)
      else { continue }
      try store.addCascade(
        UnfinishedCascade(
          zone: zone, target: record.name, change: set.newestChange,
          userRecordName: removedUser, deviceID: Caller.namelessDeviceID))
    }
  }

  private func origin(_ user: String, _ now: Int64) -> ChangeOrigin {
    ChangeOrigin(user: user, deviceID: nil, notificationID: ambient.makeUUID(), time: now)
  }
}

/// Removes the rows of a user that belong to no zone.
public protocol UserRowsWriting {
  /// Removes a user's devices, keys and badge. One call removes only a part of the user's
  /// notifications and of the rows about the user's databases, for example their histories. The
  /// caller repeats it until nothing is left.
  ///
  /// - Parameter limit: the maximum number of notifications, and of rows in each table about each
  ///   of the user's databases.
  /// - Returns: the numbers of removed rows by kind. It is empty if nothing is left.
  func removeRows(ofUser user: String, limit: Int) throws(ServerError) -> [String: Int]
}

extension UsageReading {
  /// The number of records in a database.
  fileprivate func recordsCount(of database: DatabaseKey) throws(ServerError) -> Int64 {
    try usage(of: database).reduce(0) { $0 + $1.usage.records }
  }
}

extension StoredRecord {
  /// Whether a record is a user's own record, or names the user as its creator or writer.
  fileprivate func names(_ user: String) -> Bool {
    created.userRecordName == user || modified.userRecordName == user
      || !isDeleted && name == user && type == UserRecords.recordType
  }
}

extension Stamp {
  fileprivate mutating func remove(_ user: String) {
    guard userRecordName == user else { return }
    userRecordName = UserRemoval.removedUser
    deviceID = Caller.namelessDeviceID
  }
}
