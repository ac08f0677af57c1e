public import StratusWire

/// Restores records to their states at an earlier time, in steps.
///
/// A restore consists of ordinary writes in the name of the database's owner. It writes only the
/// records that differ, so it can be repeated after a failure, and it can itself be undone.
/// User records, shares and their participants stay as they are.
public struct VersionRestorer: Sendable {
  let stores: any StoreCatalog
  let tickets: AssetTickets
  let ambient: Ambient
  let handler: ModifyRecordsHandler

  /// The part of a container to restore.
  public struct Scope: Sendable, Hashable {
    public var address: StoreAddress
    /// The database, or nil for all databases of the container.
    public var database: DatabaseKey?
    /// The zone, or nil for all zones. A zone needs a database.
    public var zoneName: String?
    /// The record, or nil for all records. A record needs a zone.
    public var recordName: String?
    /// Milliseconds since 1970 UTC.
    public var time: Int64

    public init(
      address: StoreAddress, database: DatabaseKey?, zoneName: String?, recordName: String?,
      time: Int64
    ) {
      self.address = address
      self.database = database
      self.zoneName = zoneName
      self.recordName = recordName
      self.time = time
    }
  }

  /// The result of one step.
  public struct Step: Sendable {
    /// The number of records that were examined.
    public var examined: Int64 = 0
    /// The number of records that get an earlier state.
    public var restored: Int64 = 0
    /// The number of records that are deleted, because they did not exist at the time, or had
    /// another record type. A record of the second kind is also counted in ``restored``.
    public var deleted: Int64 = 0
    /// The numbers of records that cannot be restored, by the reason.
    public var refused: [Refusal: Int64] = [:]
    /// Where the next step continues, or nil if the restore is finished.
    public var next: String?
  }

  /// The reason why records cannot be restored. `reason` is nil for records of a private database,
  /// because it could contain names.
  public struct Refusal: Sendable, Hashable {
    public var code: ErrorCode
    public var reason: String?
  }

  /// Returns which versions a store has and for how many days it keeps them.
  public func extent(
    at address: StoreAddress
  ) async throws(ServerError) -> (days: Int64?, extent: VersionExtent?) {
    try await stores.storeToRead(at: address).store.read { (store) throws(ServerError) in
      (try store.schema().settings.versionDays, try store.versionExtent())
    }
  }

  /// Runs one step.
  ///
  /// - Parameters:
  ///   - isDryRun: whether the step only counts what it would do.
  ///   - position: the ``Step/next`` of the step before, or nil for the first step.
  /// - Throws: `BAD_REQUEST` if the store has no versions of that time, if the time is in the
  ///   future, or if `position` is not valid.
  public func step(
    _ scope: Scope, isDryRun: Bool, from position: String?
  ) async throws(ServerError) -> Step {
    let place = try position.map { text throws(ServerError) in
      try RestorePosition(text, signer: tickets.signer)
    }
    let store = try await stores.store(at: scope.address)
    let now = ambient.now()
    guard scope.time <= now else {
      throw .badRequest("the time of a restore must be in the past")
    }
    let found = try await store.read { (store) throws(ServerError) in
      guard let extent = try store.versionExtent() else {
        throw .badRequest("the store keeps no earlier versions of records")
      }
      guard scope.time >= extent.since else {
        throw .badRequest("the earlier versions of records do not reach back to that time")
      }
      return try Self.find(scope, from: place, in: store)
    }
    var step = Step()
    step.examined = Int64(found.examined)
    step.next = found.next.map { $0.text(signer: tickets.signer) }
    guard let batch = found.batch, !batch.isEmpty else { return step }
    if isDryRun {
      step.deleted = Int64(batch.deletions.count)
      step.restored = Int64(batch.records.count)
      return step
    }
    try await write(batch, at: scope.address, to: store, counting: &step)
    return step
  }

  private func write(
    _ batch: RestoreBatch, at address: StoreAddress, to store: any Store,
    counting step: inout Step
  ) async throws(ServerError) {
    let owner = batch.zone.database.owner
    let database = OpenDatabase(
      store: store, address: address, view: DatabaseView(of: batch.zone.database),
      caller: Caller(
        principal: owner.map { Principal.user($0) } ?? .management,
        deviceID: ShareEffects.serviceDeviceID,
        requestUUID: ambient.makeUUID()),
      tickets: tickets, openedAt: ambient.now(), restores: true)
    func note(_ items: [RecordItem], _ counter: WritableKeyPath<Step, Int64>) {
      for item in items {
        guard case .failure(let failure) = item else {
          step[keyPath: counter] += 1
          continue
        }
        let reason = owner == nil ? failure.error.reason : nil
        step.refused[Refusal(code: failure.error.code, reason: reason), default: 0] += 1
      }
    }
    // Deletions come first, so that no restored record is deleted by a cascade.
    let deletions = batch.deletions.map { RestoredRecord(deleting: $0) }
    note(try await handler.restore(deletions, batch.zone, in: database), \.deleted)
    note(
      try await handler.restore(
        batch.records, batch.zone, in: database, encryptionScope: batch.encryptionScope),
      \.restored)
  }
}

/// The records of one zone that one step restores.
struct RestoreBatch: Sendable {
  var zone: ZoneAddress
  var encryptionScope: EncryptionScope
  /// The names of the records to delete.
  var deletions: [String] = []
  var records: [RestoredRecord] = []

  var isEmpty: Bool { deletions.isEmpty && records.isEmpty }
}

extension VersionRestorer {
  /// The records that one step has found.
  struct Found: Sendable {
    var examined = 0
    var batch: RestoreBatch?
    var next: RestorePosition?
  }

  /// Finds the next records to restore.
  private static func find(
    _ scope: Scope, from place: RestorePosition?, in store: any StoreReading
  ) throws(ServerError) -> Found {
    var found = Found()
    if let place, let after = place.recordName {
      return try findRecords(scope, at: place.zone, after: after, in: store)
    }
    let zones: [ZoneAddress]
    if let name = scope.zoneName, let database = scope.database {
      zones = place == nil ? [ZoneAddress(database: database, name: name)] : []
    } else {
      zones = try store.zonesWithVersions(
        after: place?.zone, in: scope.database, limit: Limits.zonesRestoredTogether)
    }
    for zone in zones {
      found = try findRecords(scope, at: zone, after: nil, in: store)
      found.next = found.next ?? RestorePosition(zone: zone)
      if found.examined > 0 { break }
    }
    if scope.zoneName != nil, found.next?.recordName == nil { found.next = nil }
    return found
  }

  /// Finds the next records of one zone to restore.
  private static func findRecords(
    _ scope: Scope, at zone: ZoneAddress, after: String?, in store: any StoreReading
  ) throws(ServerError) -> Found {
    var found = Found()
    guard let past = try store.pastZone(at: zone, time: scope.time) else {
      if after != nil { found.next = RestorePosition(zone: zone) }
      return found
    }
    let present = try store.zone(named: zone.name, in: zone.database)
    var names: [String]
    if let name = scope.recordName {
      names = after == nil ? [name] : []
    } else {
      names = try store.pastNames(
        in: past, present: present, after: after, limit: Limits.recordsRestoredTogether)
    }
    let isLast = scope.recordName != nil || names.count < Limits.recordsRestoredTogether
    var batch = RestoreBatch(zone: zone, encryptionScope: past.zone.encryptionScope)
    var bytes = 0
    for name in names {
      found.examined += 1
      let old = try store.pastRecord(named: name, in: past)
      let new = try present.flatMap { present throws(ServerError) in
        try store.records(named: [name], in: present)[name]
      }
      bytes += (old?.fields.text.count ?? 0) + (new?.fields.text.count ?? 0)
      try batch.add(name, old: old, new: new)
      if bytes >= Limits.restoreStepBytesMax { break }
    }
    found.batch = batch
    let isComplete = isLast && found.examined == names.count
    found.next = RestorePosition(
      zone: zone, recordName: isComplete ? nil : names.prefix(found.examined).last)
    return found
  }
}

extension RestoreBatch {
  /// Adds a record, if its state differs from the present one.
  fileprivate mutating func add(
    _ name: String, old: StoredRecord?, new: StoredRecord?
  ) throws(ServerError) {
    if old?.isFixed ?? false || new?.isFixed ?? false { return }
    guard let old else {
      if new != nil { deletions.append(name) }
      return
    }
    if let new {
      if try new.hasContents(of: old) { return }
      // A record never changes its type, so it is deleted and created again.
      if new.type != old.type { deletions.append(name) }
    }
    records.append(try RestoredRecord(old))
  }
}

extension StoredRecord {
  /// Whether a restore leaves the record as it is.
  fileprivate var isFixed: Bool {
    type == UserRecords.recordType || type == ShareRecord.recordType
  }

  /// Whether two states have the same type, parent and fields. The data of shares is ignored.
  fileprivate func hasContents(of other: StoredRecord) throws(ServerError) -> Bool {
    guard type == other.type, parentRecordName == other.parentRecordName else { return false }
    let (mine, others) = (try fieldsWithoutSharing(), try other.fieldsWithoutSharing())
    if mine == others { return true }
    func values(_ fields: FieldsJSON) throws(ServerError) -> [String: FieldValue] {
      Dictionary(try fields.storedValues().map { ($0.key, $0.value) }) { $1 }
    }
    return try values(mine) == values(others)
  }
}
