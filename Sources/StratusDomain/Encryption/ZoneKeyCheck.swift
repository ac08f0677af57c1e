import StratusWire

extension StoreReading {
  /// Refuses values sealed with keys the zone does not have, as a device does that remembers the
  /// key of an earlier zone of the same name: nobody could ever open them.
  ///
  /// - Parameter keyIDs: those of the values of one batch.
  /// - Throws: `BAD_REQUEST` with ``Reason/zoneKeyUnknown``.
  func requireZoneKeys(
    _ keyIDs: Set<[UInt8]>, of zone: StoredZone?
  ) throws(ServerError) {
    if keyIDs.isEmpty { return }
    let known: [WrappedZoneKey] = if let zone { try zoneKeys(of: zone) } else { [] }
    guard keyIDs.isSubset(of: known.map(\.keyID)) else {
      throw .badRequest(Reason.zoneKeyUnknown)
    }
  }
}
