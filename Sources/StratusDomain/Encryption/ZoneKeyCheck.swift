import StratusWire

extension StoreReading {
  /// Refuses values that are sealed with keys that the zone does not have, or that are retired. A
  /// device may still have the key of an earlier zone with the same name, but no other device could
  /// open such values.
  ///
  /// - Parameter keyIDs: the IDs of the keys that sealed the values of one batch.
  /// - Throws: `BAD_REQUEST` with ``Reason/zoneKeyUnknown``.
  func requireZoneKeys(
    _ keyIDs: Set<[UInt8]>, of zone: StoredZone?
  ) throws(ServerError) {
    if keyIDs.isEmpty { return }
    let known: [WrappedZoneKey] = if let zone { try zoneKeys(of: zone) } else { [] }
    guard keyIDs.isSubset(of: known.filter { !$0.isRetired }.map(\.keyID)) else {
      throw .badRequest(Reason.zoneKeyUnknown)
    }
  }
}
