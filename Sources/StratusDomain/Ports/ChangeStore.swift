/// Reads histories.
public protocol ChangeReading {
  /// Names this timeline of a database: drawn when the store was made, and again after a restore
  /// from a backup, so that a change token of another timeline is known for what it is.
  ///
  /// A database that nothing was ever written to has the store's.
  func epoch(of view: DatabaseView) throws(ServerError) -> Int64

  /// Records and tombstones of a zone by change number, each once, in its latest state.
  ///
  /// - Parameters:
  ///   - range: change numbers after `lowerBound` up to and including `upperBound`.
  ///   - newestFirst: from the upper end down.
  ///   - limit: how many at most.
  ///   - sizeBytesMax: ends the page once the fields read reach this, with one record at least.
  func recordChanges(
    in zone: StoredZone, range: ChangeRange, newestFirst: Bool, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [StoredRecord]

  /// Passages of a zone in order of change; their numbers are of the same sequence as those of
  /// its records.
  func passages(
    in zone: StoredZone, range: ChangeRange, limit: Int
  ) throws(ServerError) -> [Passage]

  /// The number of the newest change to a database's list of zones; 0: none yet.
  func latestZoneChange(in view: DatabaseView) throws(ServerError) -> Int64

  /// The newest deletion that a database's list of zones has forgotten; 0: none.
  func newestForgottenZone(in view: DatabaseView) throws(ServerError) -> Int64

  /// Zones made, changed or deleted after a change, in order of change, each once, latest state.
  ///
  /// A name that was deleted and made again appears once, as made. Changes to records in a shared
  /// database's zones appear after ``ListingWriting/relistChanged(inSharedDatabaseOf:at:limit:)``.
  func zoneChanges(
    in view: DatabaseView, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange]
}

extension ChangeReading {
  /// The epoch of a database, as its owner opens it.
  public func epoch(of database: DatabaseKey) throws(ServerError) -> Int64 {
    try epoch(of: DatabaseView(of: database))
  }

  /// The newest change to the list of zones of a database, as its owner opens it.
  public func latestZoneChange(in database: DatabaseKey) throws(ServerError) -> Int64 {
    try latestZoneChange(in: DatabaseView(of: database))
  }

  /// The newest deletion that the list of zones of a database has forgotten, as its owner opens it.
  public func newestForgottenZone(in database: DatabaseKey) throws(ServerError) -> Int64 {
    try newestForgottenZone(in: DatabaseView(of: database))
  }

  /// The history of a database, as its owner opens it.
  public func zoneChanges(
    in database: DatabaseKey, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange] {
    try zoneChanges(in: DatabaseView(of: database), after: change, limit: limit)
  }
}

/// Forgets what histories need not tell for ever.
public protocol ChangeWriting {
  /// Removes the tombstones of records that were deleted before a time and passages of before it,
  /// and takes zones that were deleted before it, or that a participant left, out of the histories
  /// that name them. The newest change forgotten of each history is kept
  /// (``StoredZone/newestForgotten``, ``StoredZone/newestForgottenPassage``,
  /// ``ChangeReading/newestForgottenZone(in:)-(DatabaseView)``).
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: how many of each kind at most.
  /// - Returns: whether there may be more.
  func forgetDeletions(before time: Int64, limit: Int) throws(ServerError) -> Bool
}

/// Change numbers after one and up to another.
public struct ChangeRange: Sendable, Hashable {
  public var after: Int64
  public var through: Int64

  public init(after: Int64, through: Int64) {
    self.after = after
    self.through = through
  }
}
