import StratusWire

extension StoreReading {
  /// Refuses values that are sealed with a retired key, or with a key that the zone does not have.
  /// A device may still have the key of an earlier zone with the same name. No other device could
  /// open a value that this key has sealed.
  ///
  /// - Parameter keyIDs: the IDs of the keys that sealed the values of one batch.
  /// - Returns: the roots of the hierarchies to which the keys belong, by key ID. Keys of the zone
  ///   are left out.
  /// - Throws: `BAD_REQUEST` with ``Reason/zoneKeyUnknown``.
  func requireZoneKeys(
    _ keyIDs: Set<[UInt8]>, of zone: StoredZone?
  ) throws(ServerError) -> [[UInt8]: String] {
    if keyIDs.isEmpty { return [:] }
    let known: [WrappedZoneKey] = if let zone { try zoneKeys(of: zone) } else { [] }
    guard keyIDs.isSubset(of: known.filter { !$0.isRetired }.map(\.keyID)) else {
      throw .badRequest(Reason.zoneKeyUnknown)
    }
    var roots: [[UInt8]: String] = [:]
    for key in known where keyIDs.contains(key.keyID) { roots[key.keyID] = key.rootRecordName }
    return roots
  }
}
