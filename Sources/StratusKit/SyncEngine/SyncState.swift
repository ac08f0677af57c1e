/// What an engine knows: how far it has fetched, and what is still to be sent and fetched.
struct SyncState: Sendable {
  /// Who was last seen to be signed in.
  enum User: Sendable, Equatable {
    /// Nobody has looked yet.
    case unknown
    case nobody
    case known(recordName: String)
  }

  private(set) var user = User.unknown
  private(set) var databaseToken: String?
  private(set) var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// Which zone of its name the app has or writes to, where the server said it. Outlasts the token.
  private(set) var incarnations: [CKRecordZone.ID: String] = [:]
  private(set) var unfetchedZones = PendingList<CKRecordZone.ID>()
  private(set) var records = PendingList<CKSyncEngine.PendingRecordZoneChange>()
  private(set) var zones = PendingList<CKSyncEngine.PendingDatabaseChange>()
  private(set) var hasUntrackedChanges = false
  private(set) var subscriptionID: String?
  /// Grows with each change of what is saved.
  private(set) var revision = 0
  /// Grows with each batch, so that what was put in since can be told from what the batch has.
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

  /// The changes of records in order; a delegate asks for them with each batch.
  mutating func laidOutRecords() -> [CKSyncEngine.PendingRecordZoneChange] { records.layOut() }

  /// Zones the server has had, as far as the engine knows.
  var knownZones: Set<CKRecordZone.ID> {
    Set(zoneTokens.keys).union(incarnations.keys).union(unfetchedZones.elements)
  }

  // What the app does.

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

  // What the engine does.

  /// Begins a batch.
  ///
  /// - Returns: the stamp of what was put in before it.
  mutating func beginBatch() -> Int {
    stamp += 1
    return stamp - 1
  }

  /// Removes what is done with, unless it was put in again since its batch began: then it may be
  /// about something that the batch did not have.
  ///
  /// A deletion is about nothing but itself: a batch that has it has all of it that was put in
  /// before the batch was handed over. Sent again it could delete what others made since.
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

  /// Puts changes that are pending behind all others.
  mutating func putLast(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
    for change in changes where records.putLast(change) { revision += 1 }
  }

  /// Removes what is done with, unless it was put in again since its batch began.
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

  /// Notes which zone of its name the app is told of, or has made.
  mutating func setIncarnation(_ incarnation: String?, of zoneID: CKRecordZone.ID) {
    guard incarnations[zoneID] != incarnation else { return }
    incarnations[zoneID] = incarnation
    revision += 1
  }

  /// Notes that the server has changes of a zone.
  mutating func markUnfetched(_ zoneID: CKRecordZone.ID) {
    if unfetchedZones.put(zoneID, stamp: 0) { revision += 1 }
  }

  /// Notes that a zone was fetched to its end.
  mutating func markFetched(_ zoneID: CKRecordZone.ID) {
    if unfetchedZones.remove(zoneID) { revision += 1 }
  }

  /// Forgets a zone that is no more.
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
  /// What an account means to an engine that last saw this state's user.
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

  /// Begins anew with another user.
  ///
  /// Choice: what was added before anybody looked who is signed in stays; an app may add its first
  /// changes as soon as it has made its first engine.
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
