public import StratusWire

/// Reads the keys that users' devices leave on the server, none of which it can use.
public protocol KeyReading {
  /// A user's public key; nil: no device has registered one.
  ///
  /// - Parameter user: a user record name.
  func userKey(of user: String) throws(ServerError) -> [UInt8]?

  /// The wrapped keys of a live zone, in order of their IDs.
  func zoneKeys(of zone: StoredZone) throws(ServerError) -> [WrappedZoneKey]

  /// Live zones of a database that have keys, the default zone included, in order of their
  /// numbers.
  func zonesWithKeys(
    in database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [StoredZone]

  /// Why the zone of that name is no more; nil: it is there, was never, or the history has
  /// forgotten it.
  func deletionReason(
    ofZoneNamed name: String, in database: DatabaseKey
  ) throws(ServerError) -> ZoneDeletionReason?
}

/// Keeps the keys that users' devices leave on the server.
public protocol KeyWriting {
  /// Sets a user's public key, whatever it was.
  func setUserKey(_ key: [UInt8], of user: String) throws(ServerError)

  /// Adds a key to a live zone, which must not have it.
  func add(_ key: WrappedZoneKey, to zone: StoredZone) throws(ServerError)

  /// Removes all keys of a live zone.
  func removeZoneKeys(of zone: StoredZone) throws(ServerError)
}
