import StratusWire

/// The state that a decision about the records of one zone needs. The zone is locked until the end
/// of the transaction.
///
/// NB: this is a class because several decisions keep it, and copies would take time.
final class RecordSnapshot: Sendable {
  let access: ZoneAccess
  /// The live records that the operations name and that the caller may read.
  let records: [ExactName: StoredRecord]
  /// The names of records that exist but that the caller may not read. For the caller, these
  /// records are missing, but their names are taken.
  let hidden: Set<ExactName>
  /// Records that the operations name, but that count as deleted, because an unfinished cascade
  /// will delete them.
  let pendingDeletions: [ExactName: StoredRecord]
  /// The deleted records that the operations name, if the caller could read them.
  private let tombstones: [ExactName: StoredRecord]
  let schema: Schema
  /// The first of the numbers reserved for new records, one for each operation.
  let firstNumber: Int64
  /// The registered files that the operations name, by checksum.
  let assets: [[UInt8]: StoredAsset]

  /// - Parameters:
  ///   - names: the records that the operations name.
  ///   - checksums: the checksums of the files that the operations name.
  /// - Throws: `ZONE_NOT_FOUND` if the zone does not exist or the caller has no role in it;
  ///   `BAD_REQUEST` if the records together are too large.
  init(
    loading names: [String], assets checksums: [[UInt8]], at address: ZoneAddress,
    in database: OpenDatabase, of store: any StoreWriting
  ) throws(ServerError) {
    var assets: [[UInt8]: StoredAsset] = [:]
    for checksum in checksums { assets[checksum] = try store.asset(checksum: checksum) }
    self.assets = assets
    var access = try database.lockedAccess(to: address, beforeReading: names, of: store)
    try access.findHierarchies(of: names, in: store)
    self.access = access
    schema = try store.schema()
    firstNumber = try store.drawRecordNumbers(names.count)
    guard let zone = access.zone else {
      records = [:]
      pendingDeletions = [:]
      tombstones = [:]
      hidden = []
      return
    }
    var found = try Self.records(named: names, in: zone, of: store)
    tombstones = Self.takeTombstones(from: &found, access, schema)
    pendingDeletions = try PendingDeletions.among(found, in: zone, schema: schema, of: store)
    let live =
      pendingDeletions.isEmpty
      ? found : found.filter { [pendingDeletions] in pendingDeletions[$0.key] == nil }
    let (readable, hidden) = Self.split(live, access, schema)
    self.records = readable
    self.hidden = hidden
  }

  /// Separates the records that the caller may read from the others.
  private static func split(
    _ records: [ExactName: StoredRecord], _ access: ZoneAccess, _ schema: Schema
  ) -> (readable: [ExactName: StoredRecord], hidden: Set<ExactName>) {
    if access.role == .owner { return (records, []) }
    let readable = records.filter { access.allows(.read, $0.value, schema: schema) }
    return (readable, Set(records.keys).subtracting(readable.keys))
  }

  /// Removes the tombstones from the records, and returns those of records that the caller could
  /// read. The others must have no effect that the caller can see.
  private static func takeTombstones(
    from records: inout [ExactName: StoredRecord], _ access: ZoneAccess, _ schema: Schema
  ) -> [ExactName: StoredRecord] {
    guard records.values.contains(where: \.isDeleted) else { return [:] }
    let tombstones = records.filter { $0.value.isDeleted }
    records = records.filter { !$0.value.isDeleted }
    return split(tombstones, access, schema).readable
  }

  /// Loads records and tombstones in groups, so that the writer's memory stays within its limit.
  private static func records(
    named names: [String], in zone: StoredZone, of store: any StoreWriting
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    if names.count == 1 { return try store.latestStates(named: names, in: zone) }
    var found: [ExactName: StoredRecord] = [:]
    var rest = names[...]
    var sizeBytes = 0
    while !rest.isEmpty {
      let group = try store.latestStates(
        named: Array(rest.prefix(Limits.recordsReadTogether)), in: zone)
      rest = rest.dropFirst(Limits.recordsReadTogether)
      for (name, record) in group {
        sizeBytes += record.fields.text.count
        found[name] = record
      }
      guard sizeBytes <= Limits.snapshotSizeBytesMax else {
        throw .badRequest(Reason.batchTooManyBytes)
      }
    }
    return found
  }

  init(
    access: ZoneAccess, records: [ExactName: StoredRecord], schema: Schema,
    pendingDeletions: [ExactName: StoredRecord] = [:], firstNumber: Int64 = 1
  ) {
    self.firstNumber = firstNumber
    self.access = access
    assets = [:]
    var records = records
    tombstones = Self.takeTombstones(from: &records, access, schema)
    (self.records, hidden) = Self.split(records, access, schema)
    self.schema = schema
    self.pendingDeletions = pendingDeletions
  }

  /// The zone's row, or nil for the default zone before anything is written to it.
  var zone: StoredZone? { access.zone }

  /// The revision of a new record with a name. It continues after the revision of a tombstone.
  func firstRevision(of name: String) -> Int64 { tombstones[name]?.nextRevision ?? 1 }

  /// The stored record with a name, even if it counts as deleted.
  func stored(_ name: String) -> StoredRecord? { records[name] ?? pendingDeletions[name] }
}

/// The user and device that write, and the time of the write.
struct RecordWriter: Sendable {
  let user: String
  let deviceID: String
  /// The time of the write, in milliseconds since 1970 UTC.
  let now: Int64

  var stamp: Stamp { Stamp(timestamp: now, userRecordName: user, deviceID: deviceID) }

  /// The stamp of a saved record. A restored record keeps the user of the earlier state.
  func stamp(of sent: SentOperation) -> Stamp {
    guard let restored = sent.restored else { return stamp }
    return Stamp(
      timestamp: now, userRecordName: restored.modifiedBy, deviceID: deviceID)
  }
}
