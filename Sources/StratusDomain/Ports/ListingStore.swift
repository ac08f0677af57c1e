/// Reads the listings of shared databases. A listing puts a zone into a shared database.
public protocol ListingReading {
  /// Returns a user's participation in a zone, or nil if the user's shared database does not list
  /// the zone. A user who was removed and invited again has a new participation number.
  ///
  /// - Parameter zone: the zone's number. The zone may be deleted already.
  func participation(of user: String, inZone zone: Int64) throws(ServerError) -> Participation?

  /// Returns the live zones that a shared database lists, in the order of the zones' numbers.
  ///
  /// - Parameter zone: only zones with a greater number are returned. With 0, all zones are
  ///   returned.
  func sharedZones(
    of user: String, after zone: Int64, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Whether a zone of a shared database has changed or was deleted since its listing was last
  /// updated. If the user sees only some hierarchies of the zone, only changes in these count.
  func mustRelist(inSharedDatabaseOf user: String) throws(ServerError) -> Bool
}

/// Writes the listings of shared databases.
///
/// A listing stores the zone's newest change at the time when the listing was last updated. Writers
/// in the zone do not update the listing. Instead, a reader of the shared database's history first
/// updates the listings of the zones that have changed.
public protocol ListingWriting {
  /// Adds a share to a user's participation in a live zone, and lists the zone in the user's shared
  /// database. If the user has already joined the share, only the user's rights change.
  ///
  /// - Parameter root: the root record of the share, or nil if the share shows the whole zone.
  /// - Returns: the number of the participation. If the zone is already listed, the number usually
  ///   stays the same. It changes if the user now has both a share of the whole zone and a share of
  ///   a single hierarchy, because the user's devices must then read another history.
  @discardableResult
  func join(
    _ zone: StoredZone, root: String?, permission: SharePermission, isAdministrator: Bool,
    user: String
  ) throws(ServerError) -> Int64

  /// Removes one share from a user's participation. If it is the last share, the participation ends
  /// as with ``unlist(_:inSharedDatabaseOf:at:)``. Otherwise the participation gets a new number,
  /// so that the user's devices read the zone again.
  ///
  /// - Parameters:
  ///   - root: the root record of the share, or nil if the share shows the whole zone.
  ///   - time: milliseconds since 1970 UTC.
  /// - Returns: whether the user had joined the share.
  @discardableResult
  func leave(
    _ zone: StoredZone, root: String?, user: String, at time: Int64
  ) throws(ServerError) -> Bool

  /// Ends a user's participation in a zone, and stores the end in the history of the user's shared
  /// database.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  /// - Returns: whether the zone was listed.
  @discardableResult
  func unlist(
    _ zone: StoredZone, inSharedDatabaseOf user: String, at time: Int64
  ) throws(ServerError) -> Bool

  /// Updates a shared database's listings of those zones that have changed since the last update,
  /// or that their owners have deleted since then.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: the maximum number of zones.
  /// - Returns: whether more zones may have changed.
  @discardableResult
  func relistChanged(
    inSharedDatabaseOf user: String, at time: Int64, limit: Int
  ) throws(ServerError) -> Bool
}

extension ListingReading {
  /// Returns a user's participation in a zone; see ``participation(of:inZone:)``.
  public func participation(
    of user: String, in zone: StoredZone
  ) throws(ServerError) -> Participation? {
    try participation(of: user, inZone: zone.id)
  }
}

extension ListingWriting {
  /// Adds a share to the participation of a user who is not an administrator of the share; see
  /// ``join(_:root:permission:isAdministrator:user:)``.
  @discardableResult
  public func join(
    _ zone: StoredZone, root: String?, permission: SharePermission, user: String
  ) throws(ServerError) -> Int64 {
    try join(zone, root: root, permission: permission, isAdministrator: false, user: user)
  }

  /// Lists a live zone in the shared database of a user who may read and write the whole zone; see
  /// ``join(_:root:permission:isAdministrator:user:)``.
  @discardableResult
  public func list(
    _ zone: StoredZone, inSharedDatabaseOf user: String
  ) throws(ServerError) -> Int64 {
    try join(zone, root: nil, permission: .readWrite, user: user)
  }
}
