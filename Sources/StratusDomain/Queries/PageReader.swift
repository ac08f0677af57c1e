import StratusWire

/// What one page of a query came to.
struct QueryPage: Sendable {
  struct Item: Sendable {
    var record: StoredRecord
    var zone: StoredZone
  }

  var items: [Item] = []
  /// Matches, where only their number is wanted.
  var count: Int64 = 0
  /// Where the next page goes on; nil: nothing follows.
  var position: EntryPosition?
  var entriesRead = 0
  var recordsRead = 0
  /// Work done, one step of which takes about 1 µs.
  var steps = 0
  /// The room that the answer has left.
  var room = AnswerRoom()
  /// Whether it ended for its work alone, so that the request may go on where it ends.
  var isSlice = false
}

/// What every way of reading a page needs.
struct PageScope {
  let query: CheckedQuery
  let plan: QueryPlan
  let store: any StoreReading
  let database: DatabaseKey
  /// nil: all.
  let zone: StoredZone?
  /// Records in the page.
  let limit: Int
  let countsOnly: Bool
  /// Where the page before ended.
  let after: EntryPosition?
  /// Records read, after which the page ends.
  let recordsMax: Int
  /// Steps of work after which the page ends.
  let stepsMax: Int
  /// How records are shown.
  let selection: FieldSelection
  /// The room that the answer has left.
  let room: AnswerRoom
}

/// Takes matches one by one, until a page is full and one more is seen.
struct PageBuilder {
  private let scope: PageScope
  private let neededFields: Set<String>
  private var zones: [Int64: StoredZone] = [:]
  private var gone: Set<Int64> = []
  private var sizeBytes = 0
  private var readBytes = 0
  private(set) var page = QueryPage()

  /// Records read for one page, whether they match or not.
  private static let readBytesMax = 8 * Limits.responseSizeBytesMax
  /// Bytes of a record that are decoded, or looked at by one filter, in a step of work.
  private static let bytesPerStep = 256
  /// Records looked up together; of the largest, twice what a page has room for.
  private static let groupMax = 16

  init(_ scope: PageScope) {
    self.scope = scope
    page.room = scope.room
    var names: Set<String> = []
    let candidate = scope.plan.candidate
    for filter in candidate.remaining {
      filter.collectFields(into: &names, searchable: scope.query.searchable)
    }
    if let condition = candidate.distinguishing {
      CheckedFilter.condition(condition).collectFields(into: &names, searchable: [])
    }
    let order = candidate.order
    for source in order.columns.map(\.source) + [order.distance?.source].compactMap({ $0 }) {
      if candidate.kind != .scan, case .field(let name) = source { names.insert(name) }
    }
    neededFields = names
    if let zone = scope.zone { zones[zone.id] = zone }
  }

  /// Whether the next match would not fit.
  var isFull: Bool {
    if scope.countsOnly { return false }
    return page.items.count >= scope.limit || sizeBytes >= Limits.responseSizeBytesMax
  }

  /// Whether so much was read that the page should end, whatever it holds.
  var hasReadEnough: Bool {
    readBytes >= Self.readBytesMax || page.recordsRead >= scope.recordsMax || hasWorkedEnough
  }

  /// Whether the page should end for the work that was done.
  var hasWorkedEnough: Bool { page.steps >= scope.stepsMax }

  /// Matches that still fit.
  var room: Int { scope.limit - page.items.count }

  /// - Returns: whether there was room for the match; otherwise it belongs to the next page.
  mutating func add(_ record: StoredRecord, in zone: StoredZone) -> Bool {
    if !scope.countsOnly {
      let size = AnswerRoom.sizeBytesMax(of: record, selection: scope.selection)
      guard !isFull, page.room.take(size) else { return false }
      page.items.append(QueryPage.Item(record: record, zone: zone))
      sizeBytes += record.fields.text.count
    }
    page.count += 1
    return true
  }

  /// Counts a match whose record nobody needs.
  mutating func addUnseen() { page.count += 1 }

  mutating func noteRead(entries: Int) {
    page.entriesRead += entries
    page.steps += entries
  }

  mutating func end(at position: EntryPosition?) {
    page.position = position
    page.isSlice =
      hasWorkedEnough && !isFull && !page.room.isFull && readBytes < Self.readBytesMax
  }

  /// The zone of an entry; nil: it is gone, and its entries will go.
  mutating func zone(_ id: Int64) throws(ServerError) -> StoredZone? {
    if let known = zones[id] { return known }
    if gone.contains(id) { return nil }
    guard let zone = try scope.store.zone(id: id, in: scope.database) else {
      gone.insert(id)
      return nil
    }
    zones[id] = zone
    return zone
  }

  /// The records of the first entries, in their order; nil where the zone is gone.
  ///
  /// - Returns: fewer than there are entries, but one at least, where a page has room for no more.
  mutating func records(of entries: [FoundEntry]) throws(ServerError) -> [QueryPage.Item?] {
    var items: [QueryPage.Item?] = []
    var bytes = 0
    while items.count < entries.count, bytes < Limits.responseSizeBytesMax {
      let group = entries[items.count..<min(items.count + Self.groupMax, entries.count)]
      for item in try load(group) {
        items.append(item)
        bytes += item?.record.fields.text.count ?? 0
      }
    }
    readBytes += bytes
    return items
  }

  mutating func record(of entry: EntryPosition) throws(ServerError) -> QueryPage.Item? {
    try records(of: [entry])[0]
  }

  private mutating func load(
    _ entries: ArraySlice<FoundEntry>
  ) throws(ServerError) -> [QueryPage.Item?] {
    var numbers: [Int64: [Int64]] = [:]
    for entry in entries { numbers[entry.zone, default: []].append(entry.record) }
    var found: [Int64: [Int64: StoredRecord]] = [:]
    for (id, numbers) in numbers {
      guard let zone = try zone(id) else { continue }
      found[id] = try scope.store.records(numbered: numbers, in: zone)
      page.recordsRead += numbers.count
    }
    return entries.map { entry in
      guard let zone = zones[entry.zone], let record = found[entry.zone]?[entry.record]
      else { return nil }
      return QueryPage.Item(record: record, zone: zone)
    }
  }

  /// The values that filters and order look at.
  func values(of record: StoredRecord) throws(ServerError) -> RecordValues {
    if neededFields.isEmpty { return RecordValues(record: record, fields: [:]) }
    do {
      return RecordValues(record: record, fields: try record.fields.values(of: neededFields))
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }

  /// Whether the filters hold that the index does not answer.
  mutating func matches(_ values: RecordValues) -> Bool {
    let filters = scope.plan.candidate.remaining.count
    page.steps += 2 + values.record.fields.text.count * (1 + filters) / Self.bytesPerStep
    return scope.plan.candidate.remaining.allSatisfy {
      $0.holds(for: values, searchable: scope.query.searchable)
    }
  }
}
