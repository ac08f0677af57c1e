/// Decides the next request of a fetch, and how each response changes the state.
///
/// The plan is pure: its methods only compute, and never wait. A fetch reads all changes of the
/// database, and then the changes of one zone after another. Tokens advance only in `commit`, after
/// the delegate has received the changes before the token.
struct FetchPlan: Sendable {
  enum Step: Sendable, Equatable {
    case database(token: String?)
    case zone(CKRecordZone.ID, token: String?)
    case finish
  }

  /// The changes in a page of the database's changes, for the delegate.
  struct DatabaseChanges: Sendable {
    var modifications: [CKRecordZone.ID] = []
    var deletions: [CKDatabase.DatabaseChange.Deletion] = []
    /// Zones that were deleted and created again. They are reported as deleted first, and then as
    /// changed.
    var remade: [CKRecordZone.ID] = []
  }

  /// The consequence of a failure for a zone.
  enum ZoneFailure: Sendable {
    /// The zone's token has expired, so the zone is fetched from the beginning.
    case startOver
    /// The fetch of the zone has ended, and the plan continues with the next step.
    case ended(CKError)
  }

  private(set) var options: CKSyncEngine.FetchChangesOptions
  /// The first reason why the fetch ended early.
  private(set) var stopReason: CKError?
  /// The error of the first zone that failed without ending the fetch. A zone that no longer exists
  /// does not count.
  private var zoneFailure: CKError?
  /// The error of each zone that was not fetched completely.
  private var zoneErrors: [CKRecordZone.ID: CKError] = [:]

  private var isDatabaseRead = false
  /// The change token of the next page of the database's changes.
  private var databaseToken: String?
  /// The zones seen so far if the changes are read from the beginning; nil if the changes are read
  /// from a token.
  private var listed: Set<CKRecordZone.ID>?
  /// The zones that are still to be fetched, in reverse order; nil if the queue must be made from
  /// the state.
  private var queue: [CKRecordZone.ID]?
  /// Zones that this fetch does not read again, because they have failed.
  private var setAside: Set<CKRecordZone.ID> = []
  private var expiriesCount = 0
  /// Zones whose tokens have expired during this fetch.
  private var suspects: Set<CKRecordZone.ID> = []

  /// The maximum number of times that a read starts again because its token has expired.
  private static let expiriesMax = 3

  init(_ options: CKSyncEngine.FetchChangesOptions, _ state: SyncState) {
    self.options = options
    databaseToken = state.databaseToken
    if databaseToken == nil { listed = [] }
  }

  /// The error because of which the engine may repeat the fetch; nil if there is none.
  ///
  /// NB: the reason that ended the fetch has priority, because it determines the delay.
  var failure: CKError? { stopReason ?? zoneFailure }

  /// The errors of all zones that were not fetched completely.
  var itemFailure: CKError? {
    var errors = ItemErrors()
    for (zoneID, error) in zoneErrors { errors.add(error, for: zoneID) }
    return errors.partialFailure
  }

  private var isOver: Bool { stopReason != nil }

  /// Applies the delegate's options for the rest of the fetch.
  mutating func adopt(_ options: CKSyncEngine.FetchChangesOptions) {
    let isOther =
      options.scope != self.options.scope
      || options.prioritizedZoneIDs != self.options.prioritizedZoneIDs
    self.options = options
    if isOther { queue = nil }
  }

  /// Returns the next step.
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

  /// Whether the zone that is being fetched is still the next zone to fetch.
  mutating func staysIn(_ zoneID: CKRecordZone.ID, _ state: SyncState) -> Bool {
    !isOver && nextZone(state)?.isEqual(zoneID) == true
  }

  /// Ends the fetch early.
  mutating func stop(_ error: CKError) { stopReason = stopReason ?? error }

  // The database.

  /// Returns the changes in a page, for the delegate.
  ///
  /// Choice: if the token has expired and the changes are read from the beginning, known zones that
  /// are not listed count as deleted. A zone whose incarnation differs from the known incarnation
  /// counts as deleted and created again.
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
      // NB: this check prevents an endless loop if a server repeats a page.
      stop(.badAnswer)
    }
    return changes
  }

  /// Stores a page after the delegate has received it.
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
    for deletion in changes.deletions {
      state.forget(deletion.zoneID)
      zoneErrors[deletion.zoneID] = nil
    }
    databaseToken = page.token
    // NB: when reading from the beginning, only the complete list shows which zones were deleted.
    // The state therefore gets the token only with the last page.
    if listed == nil || !page.moreComing { state.setDatabaseToken(page.token) }
    if !page.moreComing {
      isDatabaseRead = true
      listed = nil
      queue = nil
    }
  }

  /// Handles a failure to read the database's changes.
  mutating func databaseFailed(_ error: CKError, _ state: inout SyncState) {
    expiriesCount += 1
    guard error.code == .changeTokenExpired, expiriesCount <= Self.expiriesMax else {
      stop(error)
      return
    }
    // The tokens of the zones may have expired as well. The plan therefore fetches all known zones,
    // and the server reports each expired token.
    for zoneID in state.zoneTokens.keys.sorted(by: { $0.precedes($1) }) {
      state.markUnfetched(zoneID)
    }
    state.setDatabaseToken(nil)
    databaseToken = nil
    listed = []
  }

  // A zone.

  /// Stores a page after the delegate has received it.
  mutating func commit(
    _ page: SyncZonePage, of zoneID: CKRecordZone.ID, to state: inout SyncState
  ) {
    state.setToken(page.token, of: zoneID)
    if !page.moreComing { state.markFetched(zoneID) }
  }

  /// Stores the result of a zone's fetch. A zone may be read several times during the fetch, and
  /// only the last result counts.
  ///
  /// - Parameter error: the error that is reported to the delegate; nil if there is none.
  mutating func zoneEnded(_ zoneID: CKRecordZone.ID, _ error: CKError?) {
    zoneErrors[zoneID] = error
  }

  /// Handles a failure to fetch a zone.
  ///
  /// If a zone's token has expired, the zone's fetch ends with that error, so that the delegate
  /// learns of it: the app may have records whose deletion the server has forgotten. The zone may
  /// also have been deleted and created again. The plan therefore reads the database's changes
  /// again, which report such a deletion. If these changes do not report the deletion of the zone,
  /// the zone is fetched from the beginning.
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
    // NB: the engine keeps the zone and its token until it reads the database's changes, which
    // report the reason for the deletion. If the server was restored from a backup, only the
    // zone's absence from those changes shows the deletion. If the zone has been created again,
    // only its expired token shows the deletion.
    setAside.insert(zoneID)
    return .ended(error)
  }
}
