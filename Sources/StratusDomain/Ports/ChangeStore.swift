/// Reads histories.
public protocol ChangeReading {
  /// Names this timeline of the store: drawn when the store was made, and anew after a restore from
  /// a backup, so that a change token of another timeline is known for what it is.
  func epoch() throws(ServerError) -> Int64

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

  /// The number of the newest change to a database's list of zones; 0: none yet.
  func latestZoneChange(in database: DatabaseKey) throws(ServerError) -> Int64

  /// The newest deletion that a database's list of zones has forgotten; 0: none.
  func newestForgottenZone(in database: DatabaseKey) throws(ServerError) -> Int64

  /// Zones made, changed or deleted after a change, in order of change, each once, latest state.
  ///
  /// A name that was deleted and made again appears once, as made.
  func zoneChanges(
    in database: DatabaseKey, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange]
}

/// Forgets what histories need not tell for ever.
public protocol ChangeWriting {
  /// Removes the tombstones of records that were deleted before a time, and takes the zones that
  /// were deleted before it out of their databases' histories. The newest change forgotten of each
  /// history is kept (``StoredZone/newestForgotten``, ``ChangeReading/newestForgottenZone(in:)``).
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
