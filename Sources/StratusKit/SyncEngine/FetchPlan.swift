/// Decides what one fetch asks for next, and what of an answer is kept: the second of an engine's
/// three plans.
///
/// Pure. First the database's history is read to its end, then zone after zone. A token is moved
/// only by a `commit`, which comes after the delegate has what lies before the token.
struct FetchPlan: Sendable {
  enum Step: Sendable, Equatable {
    case database(token: String?)
    case zone(CKRecordZone.ID, token: String?)
    case finish
  }

  /// What the delegate is told of a page of the database's history.
  struct DatabaseChanges: Sendable {
    var modifications: [CKRecordZone.ID] = []
    var deletions: [CKDatabase.DatabaseChange.Deletion] = []
    /// Zones that were deleted and made again: told of as deleted first, then as changed.
    var remade: [CKRecordZone.ID] = []
  }

  /// What a failure means for a zone.
  enum ZoneFailure: Sendable {
    /// Its token has expired: it is fetched from the beginning.
    case startOver
    /// Its fetch has ended, and the plan goes on.
    case ended(CKError)
  }

  private(set) var options: CKSyncEngine.FetchChangesOptions
  /// Why the fetch was ended early: the first reason.
  private(set) var stopReason: CKError?
  /// Why the first zone could not be fetched of those that could not, while others were.
  private var zoneFailure: CKError?

  private var isDatabaseRead = false
  /// Where the next page of the database begins.
  private var databaseToken: String?
  /// All zones seen since the beginning of the history, until it is read to its end; nil: it is
  /// read on from a token.
  private var listed: Set<CKRecordZone.ID>?
  /// Zones still to fetch, last first; nil: to be made from the state.
  private var queue: [CKRecordZone.ID]?
  /// Zones that are not fetched again in this cycle.
  private var setAside: Set<CKRecordZone.ID> = []
  private var expiriesCount = 0
  /// Zones whose tokens have expired in this cycle.
  private var suspects: Set<CKRecordZone.ID> = []

  /// Times that tokens may expire under way.
  private static let expiriesMax = 3

  init(_ options: CKSyncEngine.FetchChangesOptions, _ state: SyncState) {
    self.options = options
    databaseToken = state.databaseToken
    if databaseToken == nil { listed = [] }
  }

  /// Why not everything could be fetched.
  ///
  /// NB: what ended the fetch says most of when to come again.
  var failure: CKError? { stopReason ?? zoneFailure }

  private var isOver: Bool { stopReason != nil }

  /// Takes what the delegate now wants fetched.
  mutating func adopt(_ options: CKSyncEngine.FetchChangesOptions) {
    let isOther =
      options.scope != self.options.scope
      || options.prioritizedZoneIDs != self.options.prioritizedZoneIDs
    self.options = options
    if isOther { queue = nil }
  }

  /// The next step.
  mutating func next(_ state: SyncState) -> Step {
    if isOver { return .finish }
    if !isDatabaseRead { return .database(token: databaseToken) }
    guard let zoneID = nextZone(state) else { return .finish }
    expiriesCount = 0
    return .zone(zoneID, token: state.zoneTokens[zoneID])
  }

  private mutating func nextZone(_ state: SyncState) -> CKRecordZone.ID? {
    var waiting = queue ?? makeQueue(state)
    defer { queue = waiting }
    while let zoneID = waiting.last {
      if state.unfetchedZones[zoneID] != nil && !setAside.contains(zoneID) { return zoneID }
      waiting.removeLast()
    }
    return nil
  }

  private func makeQueue(_ state: SyncState) -> [CKRecordZone.ID] {
    let all = state.unfetchedZones.elements.filter(options.scope.contains)
    if options.prioritizedZoneIDs.isEmpty { return all.reversed() }
    let first = options.prioritizedZoneIDs.filter {
      state.unfetchedZones[$0] != nil && options.scope.contains($0)
    }
    let isFirst = Set(first)
    return (first + all.filter { !isFirst.contains($0) }).reversed()
  }

  /// Whether the zone that is being fetched is still the one to fetch.
  mutating func staysIn(_ zoneID: CKRecordZone.ID, _ state: SyncState) -> Bool {
    !isOver && nextZone(state)?.isEqual(zoneID) == true
  }

  /// Ends the fetch early.
  mutating func stop(_ error: CKError) { stopReason = stopReason ?? error }

  // The database.

  /// What to tell the delegate of a page.
  ///
  /// Choice: where the history is read from the beginning though zones were fetched before, its
  /// token having expired, the zones that it does not name any more have been deleted. One that is
  /// another than the zone known by its name has been deleted and made again.
  mutating func receive(_ page: SyncDatabasePage, _ state: SyncState) -> DatabaseChanges {
    var changes = DatabaseChanges(
      modifications: page.modifications, deletions: page.deletions)
    if listed != nil {
      listed?.formUnion(page.modifications)
      listed?.formUnion(page.deletions.map(\.zoneID))
      if !page.moreComing, let listed {
        let lost = state.knownZones.filter { !listed.contains($0) }
        changes.deletions += lost.sorted { $0.precedes($1) }.map {
          CKDatabase.DatabaseChange.Deletion(zoneID: $0, reason: .deleted)
        }
      }
    }
    changes.remade = page.modifications.filter { zone in
      guard let known = state.incarnations[zone], let now = page.incarnations[zone] else {
        return false
      }
      return now != known
    }
    if page.moreComing, page.token == databaseToken {
      // NB: a server that repeats itself would keep us here for ever.
      stop(.badAnswer)
    }
    return changes
  }

  /// Keeps a page, once the delegate has it.
  mutating func commit(
    _ page: SyncDatabasePage, _ changes: DatabaseChanges, to state: inout SyncState
  ) {
    for zoneID in changes.remade { state.forget(zoneID) }
    for zoneID in changes.modifications {
      state.markUnfetched(zoneID)
      if let incarnation = page.incarnations[zoneID] {
        state.setIncarnation(incarnation, of: zoneID)
      }
    }
    for deletion in changes.deletions { state.forget(deletion.zoneID) }
    databaseToken = page.token
    // NB: read from the beginning, only the whole tells which zones are no more.
    if listed == nil || !page.moreComing { state.setDatabaseToken(page.token) }
    if !page.moreComing {
      isDatabaseRead = true
      listed = nil
      queue = nil
    }
  }

  /// Takes in that the database's history could not be read.
  mutating func databaseFailed(_ error: CKError, _ state: inout SyncState) {
    expiriesCount += 1
    guard error.code == .changeTokenExpired, expiriesCount <= Self.expiriesMax else {
      stop(error)
      return
    }
    // The tokens of the zones may have expired, too, or not: the server says so of each.
    for zoneID in state.zoneTokens.keys.sorted(by: { $0.precedes($1) }) {
      state.markUnfetched(zoneID)
    }
    state.setDatabaseToken(nil)
    databaseToken = nil
    listed = []
  }

  // A zone.

  /// Keeps a page, once the delegate has it.
  mutating func commit(
    _ page: SyncZonePage, of zoneID: CKRecordZone.ID, to state: inout SyncState
  ) {
    state.setToken(page.token, of: zoneID)
    if !page.moreComing { state.markFetched(zoneID) }
  }

  /// Takes in that a zone could not be fetched.
  ///
  /// Where a zone's token has expired, its fetch ends with that error: the app may have records of
  /// whose deletion nobody tells any more. Or the zone was deleted and made again: the database's
  /// history is read on, which tells. If it does not, the zone is fetched from the beginning.
  mutating func zoneFailed(
    _ zoneID: CKRecordZone.ID, _ error: CKError, _ state: inout SyncState
  ) -> ZoneFailure {
    expiriesCount += 1
    if error.code == .changeTokenExpired, expiriesCount <= Self.expiriesMax {
      if state.zoneTokens[zoneID] != nil, suspects.insert(zoneID).inserted {
        isDatabaseRead = false
        return .ended(error)
      }
      state.setToken(nil, of: zoneID)
      return .startOver
    }
    if error.isRetriedByEngine {
      stop(error)
    } else if !error.saysZoneIsGone {
      zoneFailure = zoneFailure ?? error
    }
    // NB: of a zone that is gone the history says why, sooner or later. Until then it stays known,
    // with its token: after a restore its absence in the history is all that tells, and if it is
    // made anew, that its token has expired.
    setAside.insert(zoneID)
    return .ended(error)
  }
}
