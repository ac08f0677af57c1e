import StratusWire

/// What a decision about records of one zone needs to know, loaded in batches and locked.
struct RecordSnapshot: Sendable {
  /// nil: the default zone, which no one has written to yet.
  let zone: StoredZone?
  /// The live records that the operations name.
  let records: [ExactName: StoredRecord]
  let schema: Schema
  /// The registered files among those the operations name, by checksum.
  var assets: [[UInt8]: StoredAsset] = [:]

  /// - Throws: `ZONE_NOT_FOUND`.
  init(
    loading names: [String], zoneName: String, in database: OpenDatabase,
    of store: any StoreWriting
  ) throws(ServerError) {
    zone = try store.lockZone(named: zoneName, in: database.key)
    if zone == nil, zoneName != ZoneID.defaultZoneName {
      throw ServerError(.zoneNotFound, Reason.zoneNotFound)
    }
    records = if let zone { try store.records(named: names, in: zone) } else { [:] }
    schema = try store.schema()
  }

  /// Looks up the files that operations name.
  mutating func load(
    assets operations: [RecordOperation], of store: any StoreWriting
  ) throws(ServerError) {
    for text in operations.flatMap(\.assetChecksums) {
      guard let checksum = Asset(fileChecksum: text, size: 0).checksumBytes else { continue }
      assets[checksum] = try store.asset(checksum: checksum)
    }
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
