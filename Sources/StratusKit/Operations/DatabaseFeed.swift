import StratusWire

/// One page of a database's changes, in the server's order.
struct DatabasePage: Sendable {
  enum Change: Sendable {
    /// The zone is new or has changed.
    case changed(CKRecordZone.ID)
    case deleted(CKDatabase.DatabaseChange.Deletion)
  }

  let changes: [Change]
  /// The incarnation of each zone, which distinguishes the zone from earlier zones with the same
  /// name. The dictionary is empty unless the caller requested incarnations.
  let incarnations: [CKRecordZone.ID: String]
  let token: String
  let moreComing: Bool
}

extension DatabaseCalls {
  /// Fetches a page of the database's changes.
  ///
  /// - Parameters:
  ///   - syncToken: the change token of the previous page; nil to fetch from the beginning.
  ///   - resultsLimit: the maximum number of zones; 0 lets the server decide.
  ///   - showsIncarnations: whether the page includes the zones' incarnations.
  func databaseChanges(
    since syncToken: String?, resultsLimit: Int, showsIncarnations: Bool = false,
    naming: UserNaming
  ) async throws(CKError) -> DatabasePage {
    let response = try await send(
      FetchDatabaseChanges.self,
      FetchDatabaseChanges.Request(
        syncToken: syncToken, resultsLimit: resultsLimit > 0 ? resultsLimit : nil,
        showsIncarnations: showsIncarnations))
    return DatabasePage(
      changes: response.zones.map { DatabasePage.Change($0, naming: naming) },
      incarnations: response.zones.incarnations(naming: naming),
      token: response.syncToken, moreComing: response.moreComing)
  }
}

extension Sequence<ZoneDictionary> {
  /// Returns the incarnation of each zone, if the response contains it.
  func incarnations(naming: UserNaming) -> [CKRecordZone.ID: String] {
    var incarnations: [CKRecordZone.ID: String] = [:]
    for zone in self {
      if let incarnation = zone.incarnation {
        incarnations[CKRecordZone.ID(wire: zone.zoneID, naming: naming)] = incarnation
      }
    }
    return incarnations
  }
}

extension DatabasePage.Change {
  fileprivate init(_ zone: ZoneDictionary, naming: UserNaming) {
    let zoneID = CKRecordZone.ID(wire: zone.zoneID, naming: naming)
    guard zone.isDeleted else {
      self = .changed(zoneID)
      return
    }
    let reason: CKDatabase.DatabaseChange.Deletion.Reason =
      switch zone.deletionReason {
      case .deleted: .deleted
      case .encryptedDataReset: .encryptedDataReset
      case .purged: .purged
      }
    self = .deleted(CKDatabase.DatabaseChange.Deletion(zoneID: zoneID, reason: reason))
  }
}
