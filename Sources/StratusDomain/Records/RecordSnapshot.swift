import StratusWire

/// What a decision about records of one zone needs to know, loaded in batches and locked.
struct RecordSnapshot: Sendable {
  /// nil: the default zone, which no one has written to yet.
  let zone: StoredZone?
  /// The live records that the operations name.
  let records: [ExactName: StoredRecord]
  let schema: Schema

  /// - Throws: `ZONE_NOT_FOUND`.
  init(
    loading names: [String], zoneName: String, in database: OpenDatabase,
    of store: any StoreWriting
  ) throws(ServerError) {
    zone = try store.lockZone(named: zoneName, in: database.key)
    if zone == nil, zoneName != ZoneID.defaultZoneName {
      throw try store.missingZone(named: zoneName, in: database.key)
    }
    records = if let zone { try store.records(named: names, in: zone) } else { [:] }
    schema = try store.schema()
  }

  init(zone: StoredZone?, records: [ExactName: StoredRecord], schema: Schema) {
    self.zone = zone
    self.records = records
    self.schema = schema
  }
}

/// Who writes, on what, and when.
struct RecordWriter: Sendable {
  let user: String
  let deviceID: String
  /// Milliseconds since 1970 UTC.
  let now: Int64

  var stamp: Stamp { Stamp(timestamp: now, userRecordName: user, deviceID: deviceID) }
}
