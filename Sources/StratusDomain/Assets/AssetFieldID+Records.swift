import StratusWire

extension DatabaseAccess {
  /// What a request about files speaks of, if it does not name too many.
  func open(
    _ address: DatabaseAddress, for caller: Caller, fields: [AssetFieldID], zoneID: ZoneID?
  ) async throws(ServerError) -> (database: OpenDatabase, zoneName: String) {
    guard fields.count <= Limits.assetsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await open(address, for: caller, needsUser: true)
    return (database, try database.zoneName(zoneID))
  }
}

extension StoreReading {
  /// The records of a zone that fields name, those that are there.
  ///
  /// - Throws: `ZONE_NOT_FOUND`; the default zone needs no row.
  func records(
    of fields: [AssetFieldID], zoneName: String, in database: OpenDatabase
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    guard let zone = try zone(named: zoneName, in: database.key) else {
      if zoneName == ZoneID.defaultZoneName { return [:] }
      throw try missingZone(named: zoneName, in: database.key)
    }
    return try records(named: fields.compactMap(\.recordName), in: zone)
  }
}
