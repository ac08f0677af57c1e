import StratusWire

/// What a decision about records of one zone needs to know, loaded in batches and locked.
struct RecordSnapshot: Sendable {
  let access: ZoneAccess
  /// The live records that the operations name.
  let records: [ExactName: StoredRecord]
  /// Records that the operations name and that are as good as gone: an unfinished cascade is on its
  /// way to them.
  let doomed: [ExactName: StoredRecord]
  let schema: Schema
  /// The first of the numbers drawn for new records, one an operation.
  let firstNumber: Int64
  /// The registered files among those the operations name, by checksum.
  var assets: [[UInt8]: StoredAsset] = [:]

  /// - Throws: `ZONE_NOT_FOUND`; `BAD_REQUEST` if the records are too large together.
  init(
    loading names: [String], at address: ZoneAddress, in database: OpenDatabase,
    of store: any StoreWriting
  ) throws(ServerError) {
    access = try database.lockedAccess(to: address, of: store)
    schema = try store.schema()
    firstNumber = try store.drawRecordNumbers(names.count)
    guard let zone = access.zone else {
      records = [:]
      doomed = [:]
      return
    }
    let found = try Self.records(named: names, in: zone, of: store)
    doomed = try DoomedRecords.among(found, in: zone, schema: schema, of: store)
    records = doomed.isEmpty ? found : found.filter { [doomed] in doomed[$0.key] == nil }
  }

  /// Loads records some at a time, so that the writer never holds more than it may.
  private static func records(
    named names: [String], in zone: StoredZone, of store: any StoreWriting
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    if names.count == 1 { return try store.records(named: names, in: zone) }
    var found: [ExactName: StoredRecord] = [:]
    var rest = names[...]
    var sizeBytes = 0
    while !rest.isEmpty {
      let group = try store.records(
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

  /// Looks up the files that operations name.
  mutating func load(
    assets checksums: [[UInt8]], of store: any StoreWriting
  ) throws(ServerError) {
    for checksum in checksums { assets[checksum] = try store.asset(checksum: checksum) }
  }

  init(
    access: ZoneAccess, records: [ExactName: StoredRecord], schema: Schema,
    doomed: [ExactName: StoredRecord] = [:], firstNumber: Int64 = 1
  ) {
    self.firstNumber = firstNumber
    self.access = access
    self.records = records
    self.schema = schema
    self.doomed = doomed
  }

  /// nil: the default zone, to which nothing has been written yet.
  var zone: StoredZone? { access.zone }

  /// What the store holds under a name.
  func stored(_ name: String) -> StoredRecord? { records[name] ?? doomed[name] }
}

/// The user and device that write, and the time.
struct RecordWriter: Sendable {
  let user: String
  let deviceID: String
  /// Milliseconds since 1970 UTC.
  let now: Int64

  var stamp: Stamp { Stamp(timestamp: now, userRecordName: user, deviceID: deviceID) }
}
