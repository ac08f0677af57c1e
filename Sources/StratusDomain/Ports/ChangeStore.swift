/// Reads change histories.
public protocol ChangeReading {
  /// Returns the number that identifies the timeline of a database. All databases of a store get a
  /// new number after a restore from a backup, and when ``SchemaWriting/removeAllData()`` removes
  /// their data. So the server recognizes change tokens of another timeline as expired.
  ///
  /// If nothing was written to a database yet, the result is the epoch of the store.
  func epoch(of view: DatabaseView) throws(ServerError) -> Int64

  /// Returns the records and tombstones of a zone in the order of their change numbers. Each record
  /// appears once, in its latest state.
  ///
  /// - Parameters:
  ///   - range: the change numbers to read, from the one after `after` up to and including
  ///     `through`.
  ///   - newestFirst: whether to read from the greatest change number down.
  ///   - limit: the maximum number of records.
  ///   - sizeBytesMax: the size of the fields, in bytes, at which the page ends. The page has at
  ///     least one record.
  func recordChanges(
    in zone: StoredZone, range: ChangeRange, newestFirst: Bool, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [StoredRecord]

  /// Returns the number of the newest change to a database's list of zones, or 0 if there is none
  /// yet.
  func latestZoneChange(in view: DatabaseView) throws(ServerError) -> Int64

  /// Returns the change number of the newest zone deletion that was removed from a database's
  /// history, or 0 if none was removed.
  func newestExpiredZone(in view: DatabaseView) throws(ServerError) -> Int64

  /// Returns zones that were created, changed or deleted after the change with this number, in the
  /// order of changes. Each zone appears once, in its latest state.
  ///
  /// A zone that was deleted and created again with the same name appears once, as a live zone. If
  /// records in a zone of a shared database change, the zone appears only after
  /// ``ListingWriting/relistChanged(inSharedDatabaseOf:at:limit:)``.
  func zoneChanges(
    in view: DatabaseView, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange]
}

extension ChangeReading {
  /// Returns the epoch of a database, as its owner sees it.
  public func epoch(of database: DatabaseKey) throws(ServerError) -> Int64 {
    try epoch(of: DatabaseView(of: database))
  }

  /// Returns the number of the newest change to a database's list of zones, as its owner sees it.
  public func latestZoneChange(in database: DatabaseKey) throws(ServerError) -> Int64 {
    try latestZoneChange(in: DatabaseView(of: database))
  }

  /// Returns the change number of the newest zone deletion that was removed from a database's
  /// history, as the owner of the database sees it.
  public func newestExpiredZone(in database: DatabaseKey) throws(ServerError) -> Int64 {
    try newestExpiredZone(in: DatabaseView(of: database))
  }

  /// Returns the zone history of a database, as its owner sees it.
  public func zoneChanges(
    in database: DatabaseKey, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange] {
    try zoneChanges(in: DatabaseView(of: database), after: change, limit: limit)
  }
}

/// Removes old deletions from histories.
public protocol ChangeWriting {
  /// Removes the tombstones of records that were deleted before `time`, and the ``Passage``s of
  /// records that left a hierarchy before `time`. Also removes a zone from a database's history, if
  /// the zone was deleted, or the participant left it, before `time`. The newest change removed
  /// from each history is stored (``StoredZone/newestExpired``,
  /// ``StoredZone/newestExpiredPassage``, ``ChangeReading/newestExpiredZone(in:)-(DatabaseView)``).
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: the maximum number of rows of each kind.
  /// - Returns: whether there may be more rows to remove.
  func expireDeletions(before time: Int64, limit: Int) throws(ServerError) -> Bool
}

/// A range of change numbers: after one number, up to and including another.
public struct ChangeRange: Sendable, Hashable {
  public var after: Int64
  public var through: Int64

  public init(after: Int64, through: Int64) {
    self.after = after
    self.through = through
  }
}
