import StratusWire

/// Decides what one sending of changes sends next, and what of the outcome stays pending: the third
/// of an engine's three plans.
///
/// Pure. Zones go before records, also those that the delegate adds under way.
struct SendPlan: Sendable {
  enum Step: Sendable {
    case zones(saving: [CKRecordZone], deleting: [CKRecordZone.ID])
    /// The delegate is asked for records.
    case batch
    case finish
  }

  let options: CKSyncEngine.SendChangesOptions
  /// Why not everything could be sent: the first reason.
  private(set) var failure: CKError?
  private(set) var hasSentAny = false
  /// Saves that this device lacks a key for, and what they failed with.
  private var keyless: Set<CKSyncEngine.PendingRecordZoneChange> = []
  private var keyFailure: CKError?
  private var hasAskedInVain = false
  private var isOver = false
  private var requestsInVain = 0

  /// Requests in a row of which nothing was carried out, after which the cycle ends: a delegate
  /// that adds again what is refused would be asked for ever.
  static let requestsInVainMax = 10

  init(_ options: CKSyncEngine.SendChangesOptions) { self.options = options }

  var end: SyncJobEnd { SyncJobEnd(failure: failure ?? keyFailure, isFruitless: !hasSentAny) }

  /// Whether the cycle was given up because nothing got through.
  var isInVain: Bool { requestsInVain >= Self.requestsInVainMax }

  /// The next step.
  func next(_ state: SyncState) -> Step {
    if isOver || isInVain { return .finish }
    var saving: [CKRecordZone] = []
    var deleting: [CKRecordZone.ID] = []
    for change in state.zones.elements where options.scope.contains(change.zoneID) {
      if saving.count + deleting.count == Limits.zonesPerRequestMax { break }
      switch change {
      case .saveZone(let zone): saving.append(zone)
      case .deleteZone(let zoneID): deleting.append(zoneID)
      }
    }
    if !saving.isEmpty || !deleting.isEmpty { return .zones(saving: saving, deleting: deleting) }
    return hasAskedInVain ? .finish : .batch
  }

  /// Ends the cycle early.
  mutating func stop(_ error: CKError) {
    failure = failure ?? error
    isOver = true
  }

  /// The delegate had no batch.
  mutating func noBatch() { hasAskedInVain = true }

  /// What is not pending any more after a request for zones.
  mutating func settled(_ outcome: SyncZonesOutcome) -> [CKSyncEngine.PendingDatabaseChange] {
    // It may be that the delegate waited for a zone with its records.
    hasAskedInVain = false
    var settled: [CKSyncEngine.PendingDatabaseChange] = []
    settled += outcome.saved.map { .saveZone($0) }
    settled += outcome.deleted.map { .deleteZone($0) }
    note(isCarriedOut: !settled.isEmpty)
    for (zone, error) in outcome.failedSaves where !keeps(error) { settled.append(.saveZone(zone)) }
    for (zoneID, error) in outcome.failedDeletes where !keeps(error) {
      settled.append(.deleteZone(zoneID))
    }
    return settled
  }

  /// What is not pending any more after a request for records.
  mutating func settled(
    _ outcome: SyncRecordsOutcome
  ) -> [CKSyncEngine.PendingRecordZoneChange] {
    let unsent = outcome.keyless
    let hasNewUnsent = !keyless.isSuperset(of: unsent)
    keyless.formUnion(unsent)
    // The delegate that has nothing but what cannot be sent has nothing.
    hasAskedInVain = !unsent.isEmpty && !hasNewUnsent && unsent.count == outcome.count
    var settled: [CKSyncEngine.PendingRecordZoneChange] = []
    settled += outcome.saved.map { .saveRecord($0.recordID) }
    settled += outcome.deleted.map { .deleteRecord($0) }
    if !hasNewUnsent { note(isCarriedOut: !settled.isEmpty) }
    for (record, error) in outcome.failedSaves where !keeps(error) {
      settled.append(.saveRecord(record.recordID))
    }
    for (recordID, error) in outcome.failedDeletes where !keeps(error) {
      settled.append(.deleteRecord(recordID))
    }
    return settled
  }

  private mutating func note(isCarriedOut: Bool) {
    if isCarriedOut {
      hasSentAny = true
      requestsInVain = 0
    } else {
      requestsInVain += 1
    }
  }

  /// Whether what failed so stays pending; then the cycle ends, to be taken up later, unless it is
  /// a matter of single records.
  private mutating func keeps(_ error: CKError) -> Bool {
    if error.isKeyMissing {
      keyFailure = keyFailure ?? error
      return true
    }
    guard error.isRetriedByEngine else { return false }
    stop(error)
    return true
  }
}
