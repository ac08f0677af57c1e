/// The state of an engine: the tokens of its last fetches, and the pending work.
struct SyncState: Sendable {
  /// The account that the last check found.
  enum User: Sendable, Equatable {
    /// The engine has not checked the account yet.
    case unknown
    case nobody
    case known(recordName: String)
  }

  private(set) var user = User.unknown
  private(set) var databaseToken: String?
  private(set) var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// The incarnation of each zone that the app knows or writes to, if the server reported it. The
  /// incarnation stays in the list when the zone's token expires.
  private(set) var incarnations: [CKRecordZone.ID: String] = [:]
  private(set) var unfetchedZones = PendingList<CKRecordZone.ID>()
  private(set) var records = PendingList<CKSyncEngine.PendingRecordZoneChange>()
  private(set) var zones = PendingList<CKSyncEngine.PendingDatabaseChange>()
  private(set) var hasUntrackedChanges = false
  private(set) var subscriptionID: String?
  /// Counts the changes of the part of the state that an app stores.
  private(set) var revision = 0
  /// The stamp of changes that are added now. ``beginBatch()`` increments it, so that the result of
  /// a batch removes only pending changes that were added before the batch.
  private(set) var stamp = 0

  init() {}

  init(
    user: User, databaseToken: String?, zoneTokens: [CKRecordZone.ID: String],
    incarnations: [CKRecordZone.ID: String], unfetchedZones: PendingList<CKRecordZone.ID>,
    records: PendingList<CKSyncEngine.PendingRecordZoneChange>,
    zones: PendingList<CKSyncEngine.PendingDatabaseChange>, hasUntrackedChanges: Bool,
    subscriptionID: String?
  ) {
    self.user = user
    self.databaseToken = databaseToken
    self.zoneTokens = zoneTokens
    self.incarnations = incarnations
    self.unfetchedZones = unfetchedZones
    self.records = records
    self.zones = zones
    self.hasUntrackedChanges = hasUntrackedChanges
    self.subscriptionID = subscriptionID
  }

  var hasPendingChanges: Bool { !records.isEmpty || !zones.isEmpty || hasUntrackedChanges }

  /// Returns the pending changes of records in order. A delegate reads these changes for each
  /// batch, so the ordered list is cached.
  mutating func orderedRecords() -> [CKSyncEngine.PendingRecordZoneChange] {
    records.orderedElements()
  }

  /// The zones that exist on the server, as far as the engine knows.
  var knownZones: Set<CKRecordZone.ID> {
    Set(zoneTokens.keys).union(incarnations.keys).union(unfetchedZones.elements)
  }

  // Changes by the app.

  mutating func add(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
    for change in changes where records.put(change, stamp: stamp) { revision += 1 }
  }

  mutating func add(_ changes: [CKSyncEngine.PendingDatabaseChange]) {
    for change in changes where zones.put(change, stamp: stamp) { revision += 1 }
  }

  mutating func remove(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
    for change in changes where records.remove(change) { revision += 1 }
  }

  mutating func remove(_ changes: [CKSyncEngine.PendingDatabaseChange]) {
    for change in changes where zones.remove(change) { revision += 1 }
  }

  mutating func setUntrackedChanges(_ hasAny: Bool) {
    guard hasUntrackedChanges != hasAny else { return }
    hasUntrackedChanges = hasAny
    revision += 1
  }

  // Changes by the engine.

  /// Increments the stamp, so that changes that are added later can be distinguished.
  ///
  /// - Returns: the newest stamp of the changes that were added before this call.
  mutating func beginBatch() -> Int {
    stamp += 1
    return stamp - 1
  }

  /// Removes changes that are no longer pending after a batch, unless they were added again after
  /// the batch began. A change that was added again may concern content that the batch did not
  /// include.
  ///
  /// A deletion has no content. It is therefore also removed if it was added again before the
  /// delegate returned the batch. Otherwise it would be sent a second time, and could delete a
  /// record that another device has created since then.
  mutating func settle(
    _ changes: [CKSyncEngine.PendingRecordZoneChange], batch stamp: Int, handedOver: Int
  ) {
    for change in changes {
      let last =
        switch change {
        case .saveRecord: stamp
        case .deleteRecord: handedOver
        }
      if records.remove(change, notAfter: last) { revision += 1 }
    }
  }

  /// Moves pending changes to the end of the list.
  mutating func putLast(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
    for change in changes where records.putLast(change) { revision += 1 }
  }

  /// Removes changes that are no longer pending after a request, unless they were added again after
  /// the request began.
  mutating func settle(_ changes: [CKSyncEngine.PendingDatabaseChange], batch stamp: Int) {
    for change in changes where zones.remove(change, notAfter: stamp) { revision += 1 }
  }

  mutating func setDatabaseToken(_ token: String?) {
    guard databaseToken != token else { return }
    databaseToken = token
    revision += 1
  }

  mutating func setToken(_ token: String?, of zoneID: CKRecordZone.ID) {
    guard zoneTokens[zoneID] != token else { return }
    zoneTokens[zoneID] = token
    revision += 1
  }

  /// Stores the incarnation of a zone that the app knows or has created.
  mutating func setIncarnation(_ incarnation: String?, of zoneID: CKRecordZone.ID) {
    guard incarnations[zoneID] != incarnation else { return }
    incarnations[zoneID] = incarnation
    revision += 1
  }

  /// Adds a zone to the zones with changes that the engine has not fetched yet.
  mutating func markUnfetched(_ zoneID: CKRecordZone.ID) {
    if unfetchedZones.put(zoneID, stamp: 0) { revision += 1 }
  }

  /// Removes a zone from the zones with unfetched changes.
  mutating func markFetched(_ zoneID: CKRecordZone.ID) {
    if unfetchedZones.remove(zoneID) { revision += 1 }
  }

  /// Forgets a deleted zone.
  mutating func forget(_ zoneID: CKRecordZone.ID) {
    setToken(nil, of: zoneID)
    setIncarnation(nil, of: zoneID)
    markFetched(zoneID)
  }

  mutating func setSubscriptionID(_ id: String) {
    guard subscriptionID != id else { return }
    subscriptionID = id
    revision += 1
  }
}

extension SyncState {
  /// Returns the change of the account since the last check; nil if there is no change.
  func accountChange(
    to currentUser: String?
  ) -> CKSyncEngine.Event.AccountChange.ChangeType? {
    switch (user, currentUser) {
    case (.unknown, nil), (.nobody, nil): return nil
    case (.unknown, let current?), (.nobody, let current?):
      return .signIn(currentUser: CKRecord.ID(recordName: current))
    case (.known(let previous), nil):
      return .signOut(previousUser: CKRecord.ID(recordName: previous))
    case (.known(let previous), let current?):
      if previous == current { return nil }
      return .switchAccounts(
        previousUser: CKRecord.ID(recordName: previous),
        currentUser: CKRecord.ID(recordName: current))
    }
  }

  /// Resets the state for another account.
  ///
  /// Choice: changes that were added before the first account check are kept, because an app may
  /// add its first changes as soon as it has made its first engine.
  mutating func adopt(_ currentUser: String?) {
    let next = currentUser.map { User.known(recordName: $0) } ?? .nobody
    if next == user { return }
    if user != .unknown {
      var fresh = SyncState()
      fresh.revision = revision
      fresh.stamp = stamp
      self = fresh
    }
    user = next
    revision += 1
  }
}
