public import StratusWire

/// Reads zones.
public protocol ZoneReading {
  /// Returns the live zone with this name, or nil if there is none.
  func zone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// Returns the live zone with this number, or nil if there is none in the database.
  func zone(id: Int64, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// Returns live zones, in the byte order of their names.
  ///
  /// - Parameter name: the name after which the list begins, or nil to begin at the first name.
  func zones(
    in database: DatabaseKey, after name: String?, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Returns the number of live zones in a database.
  func zoneCount(in database: DatabaseKey) throws(ServerError) -> Int
}

/// Creates and deletes zones.
public protocol ZoneWriting {
  /// Like ``ZoneReading/zone(named:in:)``, but also locks the zone. No other transaction may write
  /// to the zone until this transaction ends.
  func lockZone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone?

  /// Like ``lockZone(named:in:)``. The body will then read the latest state of one record, so a
  /// store across a network may read this state together with the zone.
  ///
  /// - Parameter record: the name of the record, which need not exist.
  func lockZone(
    named name: String, in database: DatabaseKey, beforeReading record: String
  ) throws(ServerError) -> StoredZone?

  /// Returns the live zone with a number, in any database, and locks it as ``lockZone(named:in:)``
  /// does.
  func lockZone(number: Int64) throws(ServerError) -> StoredZone?

  /// Creates a zone that does not exist yet, and lists it in its database's history. The default
  /// zone is not listed there.
  func createZone(
    named name: String, in database: DatabaseKey, encryptionScope: EncryptionScope
  ) throws(ServerError) -> StoredZone

  /// Deletes a live zone with its keys and zone subscriptions, and lists the deletion in its
  /// database's history.
  ///
  /// The records of the zone are no longer accessible. ``purge(_:rows:)`` removes their rows later.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func deleteZone(
    _ zone: StoredZone, reason: ZoneDeletionReason, at time: Int64
  ) throws(ServerError)

  /// Returns records and tombstones that are still stored for one deleted zone. The batch is empty
  /// if the zone has only other rows left. Returns nil if no deleted zone has rows to remove.
  ///
  /// Zones whose records are kept are left out; see ``VersionWriting/keepRecords(ofDeleted:at:)``.
  ///
  /// - Parameter limit: the maximum number of records. Large records end a batch earlier.
  func recordsToPurge(limit: Int) throws(ServerError) -> PurgeBatch?

  /// Removes the rows of these records and their derived rows. If no records are left, removes some
  /// of the zone's other rows, such as passages, shares and record versions. If nothing else is
  /// left, removes the row of the zone, unless a history lists the zone.
  func purge(_ batch: PurgeBatch, rows: DerivedRows) throws(ServerError)
}

extension ZoneWriting {
  /// Creates a zone with the default encryption scope; see
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
  /// Whether these are the last records of the zone.
  public var isLast: Bool

  public init(zone: Int64, database: Int64, records: [StoredRecord], isLast: Bool) {
    self.zone = zone
    self.database = database
    self.records = records
    self.isLast = isLast
  }
}
