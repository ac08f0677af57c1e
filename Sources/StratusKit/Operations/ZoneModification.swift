import StratusWire

/// The result for each zone, in the order of the request.
struct ZoneModificationOutcome: Sendable {
  var saves: [(zoneID: CKRecordZone.ID, result: Result<CKRecordZone, CKError>)] = []
  /// The error is nil if the zone was deleted.
  var deletes: [(zoneID: CKRecordZone.ID, error: CKError?)] = []
  /// The incarnation of each saved zone, which distinguishes the zone from earlier zones with the
  /// same name. The dictionary is empty unless the caller requested incarnations.
  var incarnations: [CKRecordZone.ID: String] = [:]
}

extension DatabaseCalls {
  /// Creates and deletes zones.
  ///
  /// - Parameter showsIncarnations: whether the outcome includes the incarnations of the saved
  ///   zones.
  /// - Throws: the error of the whole request.
  func modifyZones(
    saving zones: [CKRecordZone], deleting: [CKRecordZone.ID], showsIncarnations: Bool = false
  ) async throws(CKError) -> ZoneModificationOutcome {
    var outcome = ZoneModificationOutcome()
    let saving = zones.map(\.zoneID)
    let count = saving.count + deleting.count
    if count == 0 { return outcome }
    guard count <= Limits.zonesPerRequestMax else {
      throw CKError.tooLarge(
        "\(count) zones; one operation accepts at most \(Limits.zonesPerRequestMax)")
    }
    guard Set(saving + deleting).count == count else {
      throw CKError.malformed("a zone appears twice in one operation")
    }
    let naming = try await naming()
    let operations =
      zones.map {
        ModifyZones.Operation(
          .create, $0.zoneID.wire, encryptionScope: $0.explicitEncryptionScope?.wire)
      }
      + deleting.map { ModifyZones.Operation(.delete, $0.wire) }
    // A repeated creation has no further effect, but a repeated deletion reports the zone as not
    // found. A request with deletions is therefore not idempotent.
    let response = try await send(
      ModifyZones.self,
      ModifyZones.Request(operations: operations, showsIncarnations: showsIncarnations),
      isIdempotent: deleting.isEmpty, step: "all")
    guard response.zones.count == count else { throw CKError.badAnswer }
    for (zoneID, item) in zip(saving, response.zones) {
      switch item {
      case .zone(let zone):
        outcome.saves.append((zoneID, .success(CKRecordZone(wire: zone, naming: naming))))
        outcome.incarnations[zoneID] = zone.incarnation
      case .failure(_, let error): outcome.saves.append((zoneID, .failure(CKError(error))))
      }
    }
    for (zoneID, item) in zip(deleting, response.zones.dropFirst(saving.count)) {
      switch item {
      case .zone: outcome.deletes.append((zoneID, nil))
      case .failure(_, let error): outcome.deletes.append((zoneID, CKError(error)))
      }
    }
    return outcome
  }
}
