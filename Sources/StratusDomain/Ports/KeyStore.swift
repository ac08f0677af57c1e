public import StratusWire

/// Reads the keys that users' devices store on the server. The server cannot use any of them.
public protocol KeyReading {
  /// Returns a user's public key, or nil if no device has registered one.
  ///
  /// - Parameter user: a user record name.
  func userKey(of user: String) throws(ServerError) -> [UInt8]?

  /// Returns the wrapped keys of a live zone, in the order of their IDs.
  func zoneKeys(of zone: StoredZone) throws(ServerError) -> [WrappedZoneKey]

  /// Returns the live zones of a database that have keys, including the default zone, in the order
  /// of the zones' numbers.
  func zonesWithKeys(
    in database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Returns the reason for the deletion of the zone with this name. Returns nil if the zone
  /// exists, never existed, or was removed from the history.
  func deletionReason(
    ofZoneNamed name: String, in database: DatabaseKey
  ) throws(ServerError) -> ZoneDeletionReason?
}

/// Stores the keys of users' devices.
public protocol KeyWriting {
  /// Sets a user's public key, and replaces an earlier one.
  func setUserKey(_ key: [UInt8], of user: String) throws(ServerError)

  /// Adds a key to a live zone that does not have this key for this recipient yet.
  func add(_ key: WrappedZoneKey, to zone: StoredZone) throws(ServerError)

  /// Removes all keys of a live zone.
  func removeZoneKeys(of zone: StoredZone) throws(ServerError)

  /// Removes the keys of a live zone that are wrapped for a recipient.
  func removeZoneKeys(for recipient: [UInt8], of zone: StoredZone) throws(ServerError)

  /// Sets ``WrappedZoneKey/isRetired`` for the keys of a hierarchy in a live zone. If `root` is
  /// nil, sets it for the zone's own keys.
  func retireZoneKeys(of zone: StoredZone, root: String?) throws(ServerError)
}
