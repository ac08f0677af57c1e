import Foundation
import StratusFoundation
import StratusWire

/// Reads the results of a query, page by page.
struct QueryPages {
  /// One page.
  struct Page: Sendable {
    let items: [RecordItem]
    /// The cursor of the next page; nil if there are no more pages.
    let cursor: CKQueryCursor?
  }

  /// The maximum number of consecutive empty pages that are skipped.
  ///
  /// Choice: empty pages are skipped, because apps written for Apple's server do not expect them. A
  /// server may examine many records and find none that match.
  private static let emptyPagesMax = 100

  private var request: QueryRecords.Request
  private let zoneID: CKRecordZone.ID?

  /// Starts at the first page of a query.
  ///
  /// - Parameter zoneID: the zone to search; nil for all zones of the database.
  /// - Throws: `CKError.invalidArguments` if CloudKit does not support a part of the query. The
  ///   error's description names that part.
  init(
    _ query: CKQuery, in zoneID: CKRecordZone.ID?, naming: UserNaming
  ) throws(CKError) {
    self.zoneID = zoneID
    request = QueryRecords.Request(
      query: Query(
        recordType: query.recordType,
        filters: try PredicateFilters.filters(
          of: query.predicate, now: Live.now(), naming: naming),
        sorts: try (query.sortDescriptors ?? []).querySorts()),
      zoneID: zoneID?.wire, isZoneWide: zoneID == nil)
  }

  /// Continues a query at the page after the cursor.
  ///
  /// - Throws: `CKError.invalidArguments` for a cursor of Apple's framework.
  init(continuing cursor: CKQueryCursor) throws(CKError) {
    guard let request = cursor.request, request.continuationMarker != nil else {
      throw CKError.malformed("the cursor does not come from a Stratus server")
    }
    self.request = request
    zoneID = request.zoneID.map {
      CKRecordZoneID(wire: $0, naming: UserNaming(currentUserRecordName: nil))
    }
  }

  /// Fetches the next page, and skips empty pages up to a limit. The last page of the query may be
  /// empty.
  ///
  /// - Parameter resultsLimit: the maximum number of records; 0 lets the server decide.
  mutating func next(
    from database: DatabaseCalls, resultsLimit: Int, desiredKeys: [CKRecord.FieldKey]?
  ) async throws(CKError) -> Page {
    request.resultsLimit = resultsLimit > 0 ? resultsLimit : nil
    request.selection = FieldSelection(desiredKeys: desiredKeys.map(Set.init))
    var emptyPages = 0
    while true {
      let response = try await database.send(QueryRecords.self, request)
      let marker = response.continuationMarker
      if let marker, marker == request.continuationMarker { throw CKError.badAnswer }
      request.continuationMarker = marker
      emptyPages += 1
      if response.records.isEmpty, marker != nil, emptyPages < Self.emptyPagesMax { continue }
      return Page(
        items: response.records,
        cursor: marker == nil ? nil : CKQueryCursor(request, zoneID: zoneID))
    }
  }

  /// Returns the number of matching records, added up over all pages.
  ///
  /// - Throws: `CKError.invalidArguments` if the container does not allow counting.
  mutating func count(in database: DatabaseCalls) async throws(CKError) -> Int {
    request.countsOnly = true
    var total: Int64 = 0
    while true {
      let response = try await database.send(QueryRecords.self, request)
      guard let count = response.count else { throw CKError.badAnswer }
      total += count
      guard let marker = response.continuationMarker else { return Int(total) }
      if marker == request.continuationMarker { throw CKError.badAnswer }
      request.continuationMarker = marker
    }
  }
}

extension CKRecord {
  /// Returns the name of a property by which records can be sorted; nil for any other key path.
  fileprivate static func sortableProperty(at keyPath: AnyKeyPath?) -> String? {
    switch keyPath {
    case \CKRecord.creationDate: "creationDate"
    case \CKRecord.modificationDate: "modificationDate"
    default: nil
    }
  }
}

extension [NSSortDescriptor] {
  /// Returns the sort order in its wire form.
  ///
  /// - Throws: `CKError.invalidArguments` for a descriptor without the name of a field or property,
  ///   for example one with a comparator.
  fileprivate func querySorts() throws(CKError) -> [QuerySort] {
    var sorts: [QuerySort] = []
    for descriptor in self {
      let name = descriptor.key ?? CKRecord.sortableProperty(at: descriptor.keyPath)
      guard let name, let key = QueryKey(property: name) else {
        throw CKError.malformed(
          "a sort descriptor of a query must have a field name and a direction, and nothing else: "
            + descriptor.description)
      }
      let location = (descriptor as? CKLocationSortDescriptor)?.relativeLocation
      sorts.append(
        QuerySort(
          key, isAscending: descriptor.ascending,
          relativeLocation: location.map {
            Location(
              latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude)
          }))
    }
    return sorts
  }
}
