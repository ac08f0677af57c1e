import Foundation
import StratusWire

/// Reads a zone's changes page by page.
struct ZoneFeed {
  enum Change: Sendable {
    case changed(CKRecord.ID, Result<CKRecord, CKError>)
    case deleted(CKRecord.ID, CKRecord.RecordType)

    /// The fetched record; nil if there is none.
    var record: CKRecord? {
      switch self {
      case .changed(_, let result): try? result.get()
      case .deleted: nil
      }
    }
  }

  struct Page: Sendable {
    let changes: [Change]
    let token: CKServerChangeToken
    let clientToken: Data?
    let moreComing: Bool
    /// An upper bound for the number of changes after this page; nil if it is not known.
    let remainingCountMax: Int?
  }

  let zoneID: CKRecordZone.ID
  /// The position to continue from; nil for the beginning.
  private(set) var syncToken: String?
  /// The maximum number of records in a page; 0 lets the server decide.
  let resultsLimit: Int
  let desiredKeys: [CKRecord.FieldKey]?
  /// Whether the server counts the changes that remain after each page.
  var countsRemaining = false

  init(
    zoneID: CKRecordZone.ID, syncToken: String?, resultsLimit: Int,
    desiredKeys: [CKRecord.FieldKey]?
  ) {
    self.zoneID = zoneID
    self.syncToken = syncToken
    self.resultsLimit = resultsLimit
    self.desiredKeys = desiredKeys
  }

  /// Fetches the next page.
  ///
  /// - Throws: the zone's own error, or the error of the whole request.
  mutating func next(
    from database: DatabaseCalls, naming: UserNaming
  ) async throws(CKError) -> Page {
    var selection = ChangesSelection(
      resultsLimit: resultsLimit > 0 ? resultsLimit : nil,
      fields: FieldSelection(desiredKeys: desiredKeys.map(Set.init)),
      showsDeletedRecordTypes: true)
    selection.countsRemaining = countsRemaining
    let request = FetchZoneChanges.Request(zones: [
      FetchZoneChanges.Item(zoneID: zoneID.wire, syncToken: syncToken, selection: selection)
    ])
    let response = try await database.send(FetchZoneChanges.self, request)
    guard let item = response.zones.first else { throw CKError.badAnswer }
    switch item {
    case .failure(_, let error): throw CKError(error)
    case .changes(let changes):
      // NB: this check prevents an endless loop if a server returns the same token again.
      guard !changes.moreComing || changes.syncToken != syncToken else {
        throw CKError.badAnswer
      }
      let found = try Self.changes(changes.records, in: zoneID, naming: naming)
      try await database.openValues(of: found.compactMap(\.record))
      syncToken = changes.syncToken
      return Page(
        changes: found,
        token: CKServerChangeToken(syncToken: changes.syncToken),
        clientToken: changes.clientChangeToken.flatMap { Data(base64Encoded: $0) },
        moreComing: changes.moreComing,
        remainingCountMax: changes.remainingCountMax.flatMap { Int(exactly: $0) })
    }
  }

  private static func changes(
    _ items: [RecordItem], in zoneID: CKRecordZone.ID, naming: UserNaming
  ) throws(CKError) -> [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(items.count)
    for item in items {
      switch item {
      case .record(let dictionary):
        let record = try RecordFactory.record(wire: dictionary, naming: naming)
        changes.append(.changed(record.recordID, .success(record)))
      case .deleted(let tombstone):
        let recordID = CKRecord.ID(recordName: tombstone.recordName, zoneID: zoneID)
        changes.append(.deleted(recordID, tombstone.recordType ?? ""))
      case .failure(let failure):
        let recordID = CKRecord.ID(recordName: failure.recordName, zoneID: zoneID)
        changes.append(.changed(recordID, .failure(CKError(failure.error))))
      }
    }
    return changes
  }
}
