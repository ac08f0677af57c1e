import StratusWire

/// The items of a request, grouped by their zones.
///
/// A request can name the zone at top level, in each record, or nowhere, which means the default
/// zone.
struct ZoneBatches: Sendable {
  struct Batch: Sendable {
    let address: ZoneAddress
    /// The positions of the items in the request.
    var indices: [Int]
  }

  private(set) var batches: [Batch] = []

  /// - Throws: `BAD_REQUEST` if an item's zone differs from the request's zone; `ZONE_NOT_FOUND`
  ///   for a zone that cannot be in the database (see ``OpenDatabase/zoneAddress(_:)``).
  init(
    _ itemZones: [ZoneID?], of requestZone: ZoneID?, in database: OpenDatabase
  ) throws(ServerError) {
    if let requestZone {
      let address = try database.zoneAddress(requestZone)
      for itemZone in itemZones {
        guard let itemZone else { continue }
        if try database.zoneAddress(itemZone) != address {
          throw .badRequest("zoneID of a record differs from the request's")
        }
      }
      batches = [Batch(address: address, indices: Array(itemZones.indices))]
      return
    }
    var known: [ZoneAddress: Int] = [:]
    for (index, itemZone) in itemZones.enumerated() {
      let address = try database.zoneAddress(itemZone)
      if let batch = known[address] {
        batches[batch].indices.append(index)
      } else {
        known[address] = batches.count
        batches.append(Batch(address: address, indices: [index]))
      }
    }
  }
}

extension ZoneBatches {
  /// Returns the failures of the items in a missing zone. If the request names several zones, the
  /// items in the other zones succeed.
  ///
  /// - Throws: `error` itself if it is not `ZONE_NOT_FOUND`, or if the request names only one zone.
  func failures(
    of recordNames: [String], _ error: ServerError, for caller: Caller
  ) throws(ServerError) -> [RecordItem] {
    guard batches.count > 1, error.code == .zoneNotFound else { throw error }
    return recordNames.map {
      .failure(RecordFailure(recordName: $0, error: error.dictionary(for: caller)))
    }
  }

  /// Returns the newest change token of the request's zone, if the caller requests it.
  ///
  /// - Returns: nil if there are several zones, and for the default zone, which has no history.
  func syncToken(
    in database: OpenDatabase, of store: any StoreReading
  ) throws(ServerError) -> String? {
    guard database.caller.wantsSyncToken, batches.count == 1, let address = batches.first?.address,
      address.database.keepsHistories, !address.isDefault
    else { return nil }
    let access = try database.access(to: address, of: store)
    guard let zone = access.zone else { return nil }
    return try access.newestToken(of: zone, in: store).text
  }
}
