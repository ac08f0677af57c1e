import StratusWire

/// The items of a request, by the zone each belongs to.
///
/// The zone may stand at top level, in each record, or nowhere, which means the default zone
/// (wire-quirks A9).
struct ZoneBatches: Sendable {
  struct Batch: Sendable {
    let zoneName: String
    /// Places of the items in the request.
    var indices: [Int]
  }

  private(set) var batches: [Batch] = []

  /// - Throws: `BAD_REQUEST` if an item's zone is not the request's; `ZONE_NOT_FOUND` for another
  ///   user's zone.
  init(
    _ itemZones: [ZoneID?], of requestZone: ZoneID?, in database: OpenDatabase
  ) throws(ServerError) {
    if let requestZone {
      let name = try database.zoneName(requestZone)
      for itemZone in itemZones {
        guard let itemZone else { continue }
        if ExactName(try database.zoneName(itemZone)) != ExactName(name) {
          throw .badRequest("zoneID of a record differs from the request's")
        }
      }
      batches = [Batch(zoneName: name, indices: Array(itemZones.indices))]
      return
    }
    var places: [ExactName: Int] = [:]
    for (index, itemZone) in itemZones.enumerated() {
      let name = try database.zoneName(itemZone)
      if let place = places[name] {
        batches[place].indices.append(index)
      } else {
        places[ExactName(name)] = batches.count
        batches.append(Batch(zoneName: name, indices: [index]))
      }
    }
  }
}

extension ZoneBatches {
  /// What the items of a zone that is not there come to: where the request names several zones, the
  /// others go on (cloudkit-semantics §12).
  ///
  /// - Throws: the error itself, if it is another one, or concerns the only zone.
  func failures(
    of recordNames: [String], _ error: ServerError, for caller: Caller
  ) throws(ServerError) -> [RecordItem] {
    guard batches.count > 1, error.code == .zoneNotFound else { throw error }
    return recordNames.map {
      .failure(RecordFailure(recordName: $0, error: error.dictionary(for: caller)))
    }
  }

  /// The newest place in the history of the one zone of a request, for who wants to know it.
  ///
  /// NB: nil for several zones and for the default zone, which has no history.
  func syncToken(
    in database: OpenDatabase, of store: any StoreReading
  ) throws(ServerError) -> String? {
    guard database.caller.wantsSyncToken, database.key != .public, batches.count == 1,
      let name = batches.first?.zoneName, name != ZoneID.defaultZoneName,
      let zone = try store.zone(named: name, in: database.key)
    else { return nil }
    return ChangeToken(
      subject: .zone, epoch: try store.epoch(of: zone.database), incarnation: zone.id,
      change: zone.change
    ).text
  }
}
