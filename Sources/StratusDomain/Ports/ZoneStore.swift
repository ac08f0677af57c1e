public import StratusWire

/// Reads zones.
public protocol ZoneReading {
  /// The live zone of that name; nil if there is none.
  func zone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// The live zone of that number; nil if there is none in the database.
  func zone(id: Int64, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// Live zones in order of their names' bytes.
  ///
  /// - Parameter name: only zones behind this name; nil: from the first.
  func zones(
    in database: DatabaseKey, after name: String?, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// How many live zones a database has.
  func zoneCount(in database: DatabaseKey) throws(ServerError) -> Int
}

/// Makes and deletes zones.
public protocol ZoneWriting {
  /// As ``ZoneReading/zone(named:in:)``, and no other transaction may write to the zone until this
  /// one ends.
  func lockZone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// Makes a zone, which must not exist, and lists it in its database's history, unless it is the
  /// default zone, which has no place there.
  func createZone(
    named name: String, in database: DatabaseKey, encryptionScope: EncryptionScope
  ) throws(ServerError) -> StoredZone

  /// Deletes a live zone with its keys and its zone subscriptions, and lists the deletion in its
  /// database's history.
  ///
  /// Its records can no longer be reached; their rows go later, by ``purge(_:rows:)``.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func deleteZone(
    _ zone: StoredZone, reason: ZoneDeletionReason, at time: Int64
  ) throws(ServerError)

  /// Records of a deleted zone whose rows are still there, tombstones included; nil: no deleted
  /// zone has any left.
  ///
  /// - Parameter limit: how many at most; large records end a batch before.
  func recordsToPurge(limit: Int) throws(ServerError) -> PurgeBatch?

  /// Removes these records' rows and the rows derived from them, and the zone's own if it has no
  /// more and no history names it; the zone's passages go as well.
  func purge(_ batch: PurgeBatch, rows: DerivedRows) throws(ServerError)
}

extension ZoneWriting {
  /// Makes a zone of the default encryption scope; see
  /// ``createZone(named:in:encryptionScope:)``.
  public func createZone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> StoredZone {
    try createZone(named: name, in: database, encryptionScope: .perRecord)
  }
}

/// Some records of a deleted zone.
public struct PurgeBatch: Sendable {
  public var zone: Int64
  public var database: Int64
  public var records: [StoredRecord]
  /// Whether these are the last.
  public var isLast: Bool

  public init(zone: Int64, database: Int64, records: [StoredRecord], isLast: Bool) {
    self.zone = zone
    self.database = database
    self.records = records
    self.isLast = isLast
  }
}
