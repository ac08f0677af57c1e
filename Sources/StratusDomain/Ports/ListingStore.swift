/// Reads where zones are listed in shared databases.
public protocol ListingReading {
  /// The number of a user's participation in a zone: nil if the user's shared database does not
  /// list it. A user who was removed and invited again has another number.
  func participation(of user: String, in zone: StoredZone) throws(ServerError) -> Int64?

  /// Live zones that a shared database lists, in order of their numbers.
  ///
  /// - Parameter zone: only zones behind this number; 0: from the first.
  func sharedZones(
    of user: String, after zone: Int64, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Whether a zone of a shared database has changed since it was last listed there.
  func mustRelist(inSharedDatabaseOf user: String) throws(ServerError) -> Bool
}

/// Lists zones in shared databases.
///
/// A participant's listing keeps the zone's newest change when it was made. Writers in the zone
/// leave it alone; a reader of the shared database's history lists changed zones again first.
public protocol ListingWriting {
  /// Lists a live zone in a user's shared database.
  ///
  /// - Returns: the participation's number. A zone that is listed already keeps its number.
  @discardableResult
  func list(
    _ zone: StoredZone, inSharedDatabaseOf user: String
  ) throws(ServerError) -> Int64

  /// Lists in a user's shared database that the user no longer takes part in a zone.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  /// - Returns: whether the zone was listed.
  @discardableResult
  func unlist(
    _ zone: StoredZone, inSharedDatabaseOf user: String, at time: Int64
  ) throws(ServerError) -> Bool

  /// Lists the zones of a shared database again that changed, or were deleted by their owners,
  /// since they were listed there.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: how many zones at most.
  /// - Returns: whether there may be more.
  @discardableResult
  func relistChanged(
    inSharedDatabaseOf user: String, at time: Int64, limit: Int
  ) throws(ServerError) -> Bool
}
