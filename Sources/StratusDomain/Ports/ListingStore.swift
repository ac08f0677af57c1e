/// Reads which shared databases list a zone.
public protocol ListingReading {
  /// The number of a user's participation in a zone; nil: the user's shared database does not list
  /// the zone. A user who was removed and invited again has a new number.
  func participation(of user: String, in zone: StoredZone) throws(ServerError) -> Int64?

  /// The live zones that a shared database lists, in the order of their numbers.
  ///
  /// - Parameter zone: only zones with a greater number; 0: from the first.
  func sharedZones(
    of user: String, after zone: Int64, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Whether a zone of a shared database has changed since it was last listed there.
  func mustRelist(inSharedDatabaseOf user: String) throws(ServerError) -> Bool
}

/// Lists zones in shared databases.
///
/// A participant's listing stores the newest change of the zone at the time of listing. Writers in
/// the zone do not update it. Instead, a reader of the shared database's history first lists the
/// changed zones again.
public protocol ListingWriting {
  /// Lists a live zone in a user's shared database.
  ///
  /// - Returns: the number of the participation. A zone that is already listed keeps its number.
  @discardableResult
  func list(
    _ zone: StoredZone, inSharedDatabaseOf user: String
  ) throws(ServerError) -> Int64

  /// Records in a user's shared database that the user no longer participates in a zone.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  /// - Returns: whether the zone was listed.
  @discardableResult
  func unlist(
    _ zone: StoredZone, inSharedDatabaseOf user: String, at time: Int64
  ) throws(ServerError) -> Bool

  /// Lists the zones of a shared database again that have changed, or that their owners deleted,
  /// since they were listed.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: the maximum number of zones.
  /// - Returns: whether there may be more.
  @discardableResult
  func relistChanged(
    inSharedDatabaseOf user: String, at time: Int64, limit: Int
  ) throws(ServerError) -> Bool
}
