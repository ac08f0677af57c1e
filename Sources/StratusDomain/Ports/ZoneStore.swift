/// Reads zones.
public protocol ZoneReading {
  /// The live zone of that name; nil if there is none.
  func zone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone?

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
  func createZone(named name: String, in database: DatabaseKey) throws(ServerError) -> StoredZone

  /// Deletes a live zone and lists the deletion in its database's history.
  ///
  /// Its records can no longer be reached; their rows go later, by ``purgeDeletedZones(limit:)``.
  func deleteZone(_ zone: StoredZone) throws(ServerError)

  /// Removes rows of records whose zone is deleted.
  ///
  /// - Parameter limit: how many at most.
  /// - Returns: how many; fewer than `limit` means there are no more.
  func purgeDeletedZones(limit: Int) throws(ServerError) -> Int
}
