import StratusDomain
import StratusWire

/// Sample data for the checks.
enum Sample {
  static let ann = DatabaseKey.private(owner: "_ann")
  static let annsView = DatabaseView.private(user: "_ann")
  static let bobsView = DatabaseView.private(user: "_bob")
  static let bob = DatabaseKey.private(owner: "_bob")
  static let refusal = ServerError(.accessDenied, Reason.accessDenied)
  /// The time at which zones are deleted, in milliseconds since 1970 UTC. The time of a record is
  /// the sum of this time and the record's change number.
  static let time: Int64 = 1_700_000_000_000

  static func record(_ name: String, change: Int64, text: String = "{}") -> StoredRecord {
    let stamp = Stamp(timestamp: time + change, userRecordName: "_ann", deviceID: "a")
    return StoredRecord(
      name: name, type: "Note", change: change, isDeleted: false, created: stamp,
      modified: stamp, parentRecordName: nil, fields: FieldsJSON(text: Array(text.utf8)))
  }

  static func tombstone(_ name: String, change: Int64) -> StoredRecord {
    var record = record(name, change: change)
    record.isDeleted = true
    return record
  }
}

extension StoreReading {
  /// Returns the zone with this name, and fails if it does not exist.
  func existing(
    _ name: String, in database: DatabaseKey = Sample.ann
  ) throws(ServerError) -> StoredZone {
    guard let zone = try zone(named: name, in: database) else {
      throw .fault("the check's zone '\(name)' is missing")
    }
    return zone
  }

  /// Returns all changes of a zone, or the changes in a range.
  func changes(
    in zone: StoredZone, after: Int64 = 0, through: Int64 = .max, newestFirst: Bool = false,
    limit: Int = 1_000, sizeBytesMax: Int = .max
  ) throws(ServerError) -> [StoredRecord] {
    try recordChanges(
      in: zone, range: ChangeRange(after: after, through: through), newestFirst: newestFirst,
      limit: limit, sizeBytesMax: sizeBytesMax)
  }
}

extension StoreWriting {
  /// Returns the zone with the given name, and creates it if necessary.
  func someZone(
    _ name: String, in database: DatabaseKey = Sample.ann
  ) throws(ServerError) -> StoredZone {
    if let zone = try lockZone(named: name, in: database) { return zone }
    return try createZone(named: name, in: database)
  }

  /// Saves records with the given names. Each record gets the zone's next change number.
  func save(_ names: [String], in zone: StoredZone) throws(ServerError) {
    var records: [StoredRecord] = []
    for name in names {
      records.append(Sample.record(name, change: zone.change + Int64(records.count) + 1))
    }
    try apply(ChangeSet(zone: zone, records: records))
  }

  func deleteZone(
    _ zone: StoredZone, reason: ZoneDeletionReason = .deleted
  ) throws(ServerError) {
    try deleteZone(zone, reason: reason, at: Sample.time)
  }

  /// Deletes a record of a zone.
  func delete(_ name: String, in zone: StoredZone) throws(ServerError) {
    let tombstone = Sample.tombstone(name, change: zone.change + 1)
    try apply(ChangeSet(zone: zone, records: [tombstone]))
  }
}

extension Store {
  /// Saves records with the given names in a zone, and creates the zone if necessary.
  func save(
    _ names: [String], inZone zone: String, of database: DatabaseKey = Sample.ann
  ) async throws(ServerError) {
    try await write { (body) throws(ServerError) in
      try body.save(names, in: try body.someZone(zone, in: database))
    }
  }

  /// Returns the error that a write throws, or nil if the write is committed.
  func failure(
    of body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Void
  ) async -> ServerError? {
    do throws(ServerError) {
      try await write(body)
      return nil
    } catch {
      return error
    }
  }
}
