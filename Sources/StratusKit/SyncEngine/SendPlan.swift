import StratusWire

/// Decides the next request of a send, and which changes stay pending afterwards.
///
/// The plan is pure: its methods only compute, and never wait. Zones are sent before records,
/// including zones that the delegate adds during the send.
///
/// A send includes each change at most once. After a failure, it continues with the changes that
/// were pending before the failure was reported to the delegate. Changes that are added later wait
/// for the next send, even if the delegate adds them in response to the failure.
struct SendPlan: Sendable {
  enum Step: Sendable {
    case zones(saving: [CKRecordZone], deleting: [CKRecordZone.ID])
    /// The engine asks the delegate for a batch of records.
    case batch
    case finish
  }

  let options: CKSyncEngine.SendChangesOptions
  /// The first reason why the send ended early.
  private(set) var stopReason: CKError?
  /// Whether a zone or a record failed in a way that the app has to handle.
  var hasItemFailures: Bool { !recordErrors.isEmpty || !zoneErrors.isEmpty }
  /// Whether the send left out changes that the next send may include.
  private(set) var hasHeldBack = false

  private var hasSentAny = false
  private var recordErrors: [CKRecord.ID: CKError] = [:]
  private var zoneErrors: [CKRecordZone.ID: CKError] = [:]
  /// Zones that the server does not have. All other records of these zones would fail in the same
  /// way.
  private var missingZoneIDs: Set<CKRecordZone.ID> = []
  /// Records that cannot be encrypted because this device lacks the key. Their changes stay
  /// pending.
  private var keylessRecordIDs: Set<CKRecord.ID> = []
  private var keyFailure: CKError?
  /// The greatest stamp (see ``SyncState``) of the changes that this send includes; nil if it
  /// includes all changes.
  private var stampMax: Int?
  private var hasNoBatch = false

  init(_ options: CKSyncEngine.SendChangesOptions) { self.options = options }

  var end: SyncJobEnd {
    SyncJobEnd(
      stopReason: stopReason, failure: stopReason ?? keyFailure, itemFailure: itemFailure,
      isFruitless: !hasSentAny)
  }

  /// The errors of all zones and records that failed.
  private var itemFailure: CKError? {
    var errors = ItemErrors()
    for (zoneID, error) in zoneErrors { errors.add(error, for: zoneID) }
    for (recordID, error) in recordErrors { errors.add(error, for: recordID) }
    return errors.partialFailure
  }

  // The next step.

  /// Returns the next step.
  func next(_ state: SyncState) -> Step {
    if stopReason != nil { return .finish }
    var saving: [CKRecordZone] = []
    var deleting: [CKRecordZone.ID] = []
    for change in state.zones.elements where options.scope.contains(change.zoneID) {
      if saving.count + deleting.count == Limits.zonesPerRequestMax { break }
      if isHeldBack(change.zoneID, state) { continue }
      switch change {
      case .saveZone(let zone): saving.append(zone)
      case .deleteZone(let zoneID): deleting.append(zoneID)
      }
    }
    if !saving.isEmpty || !deleting.isEmpty { return .zones(saving: saving, deleting: deleting) }
    return hasNoBatch ? .finish : .batch
  }

  private func isHeldBack(_ zoneID: CKRecordZone.ID, _ state: SyncState) -> Bool {
    zoneErrors[zoneID] != nil || isNewer(state.zones.stamp(of: zoneID))
  }

  private func isNewer(_ stamp: Int?) -> Bool {
    guard let stamp, let stampMax else { return false }
    return stamp > stampMax
  }

  /// Returns the part of the delegate's batch that this send includes.
  ///
  /// If the batch is atomic, a zone is left out completely if any of its changes is left out.
  mutating func admit(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ state: SyncState
  ) -> CKSyncEngine.RecordZoneChangeBatch {
    if stampMax == nil && keylessRecordIDs.isEmpty { return batch }
    let recordIDs = batch.recordsToSave.map(\.recordID) + batch.recordIDsToDelete
    var heldBack = Set(recordIDs.filter { isHeldBack($0, state) })
    if !heldBack.isSubset(of: keylessRecordIDs) { hasHeldBack = true }
    if batch.atomicByZone {
      let zoneIDs = Set(heldBack.map(\.zoneID))
      heldBack.formUnion(recordIDs.filter { zoneIDs.contains($0.zoneID) })
    }
    var admitted = batch
    admitted.recordsToSave.removeAll { heldBack.contains($0.recordID) }
    admitted.recordIDsToDelete.removeAll { heldBack.contains($0) }
    return admitted
  }

  private func isHeldBack(_ recordID: CKRecord.ID, _ state: SyncState) -> Bool {
    keylessRecordIDs.contains(recordID) || recordErrors[recordID] != nil
      || missingZoneIDs.contains(recordID.zoneID)
      || isNewer(state.records.stamp(of: recordID))
  }

  // Results.

  /// Ends the send early.
  mutating func stop(_ error: CKError) { stopReason = stopReason ?? error }

  /// Remembers that the delegate returned no batch, or that this send includes no part of the
  /// batch.
  mutating func noBatch() { hasNoBatch = true }

  /// Returns the changes that are no longer pending after a request for zones.
  ///
  /// - Parameter stamp: the stamp (see ``SyncState``) of the newest change. The delegate does not
  ///   know the outcome yet, so changes that it adds in response get a greater stamp.
  mutating func settled(
    _ outcome: SyncZonesOutcome, before stamp: Int
  ) -> [CKSyncEngine.PendingDatabaseChange] {
    // The delegate may have waited for the zone, and may have a batch of the zone's records now.
    hasNoBatch = false
    var settled: [CKSyncEngine.PendingDatabaseChange] = []
    settled += outcome.saved.map { .saveZone($0) }
    settled += outcome.deleted.map { .deleteZone($0) }
    if !settled.isEmpty { hasSentAny = true }
    for (zone, error) in outcome.failedSaves where !keeps(error) {
      zoneErrors[zone.zoneID] = error
      settled.append(.saveZone(zone))
    }
    for (zoneID, error) in outcome.failedDeletes where !keeps(error) {
      zoneErrors[zoneID] = error
      settled.append(.deleteZone(zoneID))
    }
    close(at: stamp)
    return settled
  }

  /// Returns the changes that are no longer pending after a request for records.
  ///
  /// - Parameter stamp: the stamp (see ``SyncState``) of the newest change. The delegate does not
  ///   know the outcome yet, so changes that it adds in response get a greater stamp.
  mutating func settled(
    _ outcome: SyncRecordsOutcome, before stamp: Int
  ) -> [CKSyncEngine.PendingRecordZoneChange] {
    var settled: [CKSyncEngine.PendingRecordZoneChange] = []
    settled += outcome.saved.map { .saveRecord($0.recordID) }
    settled += outcome.deleted.map { .deleteRecord($0) }
    if !settled.isEmpty { hasSentAny = true }
    for (record, error) in outcome.failedSaves {
      if error.isKeyMissing { keylessRecordIDs.insert(record.recordID) }
      if keeps(error) { continue }
      note(error, of: record.recordID)
      settled.append(.saveRecord(record.recordID))
    }
    for (recordID, error) in outcome.failedDeletes where !keeps(error) {
      note(error, of: recordID)
      settled.append(.deleteRecord(recordID))
    }
    close(at: stamp)
    return settled
  }

  private mutating func note(_ error: CKError, of recordID: CKRecord.ID) {
    recordErrors[recordID] = error
    if error.saysZoneIsMissing { missingZoneIDs.insert(recordID.zoneID) }
  }

  private mutating func close(at stamp: Int) {
    if hasItemFailures { stampMax = stampMax ?? stamp }
  }

  /// Whether a change that failed with this error stays pending. If the device lacks a key, only
  /// this change waits, and the send continues. After any other such error, the send ends and is
  /// repeated later.
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
