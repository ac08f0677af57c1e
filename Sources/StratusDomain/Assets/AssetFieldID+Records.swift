import StratusWire

extension DatabaseAccess {
  /// Opens the database of a request about assets, and returns it with the zone's address.
  ///
  /// - Throws: `BAD_REQUEST` if the request names too many fields, and the errors of
  ///   ``open(_:for:to:needsUser:)`` and ``OpenDatabase/zoneAddress(_:)``.
  func open(
    _ address: DatabaseAddress, for caller: Caller, fields: [AssetFieldID], zoneID: ZoneID?
  ) async throws(ServerError) -> (database: OpenDatabase, zone: ZoneAddress) {
    guard fields.count <= Limits.assetsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await open(address, for: caller, needsUser: true)
    return (database, try database.zoneAddress(zoneID))
  }
}
