import StratusWire

/// The result of reading one page of a query.
struct QueryPage: Sendable {
  struct Item: Sendable {
    var record: StoredRecord
    var zone: StoredZone
  }

  var items: [Item] = []
  /// The number of matches. If the query only counts, ``items`` is empty.
  var count: Int64 = 0
  /// The position where the next page continues, or nil if there is no next page.
  var position: EntryPosition?
  var entriesRead = 0
  var recordsRead = 0
  /// The number of units of work done, each of about 1 µs.
  var steps = 0
  /// The capacity that is left in the answer.
  var budget = AnswerBudget()
  /// Whether the page ended only because it reached ``PageScope/stepsMax``. The request may then
  /// continue to read at ``position``.
  var isSlice = false
}

/// The parameters that every reader of a page needs.
struct PageScope {
  let query: CheckedQuery
  let plan: QueryPlan
  let store: any StoreReading
  let database: DatabaseKey
  /// The zone to read, or nil for all zones.
  let zone: StoredZone?
  /// The maximum number of records in the page.
  let limit: Int
  let countsOnly: Bool
  /// The position where the previous page ended.
  let after: EntryPosition?
  /// The page ends after this number of records has been read.
  let recordsMax: Int
  /// The page ends after this many units of work.
  let stepsMax: Int
  /// The fields of each record to return.
  let selection: FieldSelection
  /// The capacity that is left in the answer.
  let budget: AnswerBudget
  /// The roots of the shared hierarchies whose records are found, or nil if all records are found.
  var hierarchies: Set<ExactName>?
}

/// Collects matches until the page is full and one further match is found.
struct PageBuilder {
  private let scope: PageScope
  private let neededFields: Set<String>
  /// Whether the query filters or sorts by the parents of records.
  private let asksForParent: Bool
  private var zones: [Int64: StoredZone] = [:]
  private var gone: Set<Int64> = []
  private var sizeBytes = 0
  private var readBytes = 0
  private(set) var page = QueryPage()

  /// The maximum number of bytes of records read for one page, whether or not the records match.
  private static let readBytesMax = 8 * Limits.responseSizeBytesMax
  /// The number of bytes of a record that one unit of work decodes, or tests with one filter.
  private static let bytesPerStep = 256
  /// The number of records read together. If all records have the maximum size, a page has capacity
  /// for half of this number.
  private static let groupMax = 16

  init(_ scope: PageScope) {
    self.scope = scope
    page.budget = scope.budget
    asksForParent =
      scope.query.filters.contains { $0.concerns(.system(.parent)) }
      || scope.query.sorts.contains { $0.source == .system(.parent) }
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

  /// Whether the page has no capacity for another match.
  var isFull: Bool {
    if scope.countsOnly { return false }
    return page.items.count >= scope.limit || sizeBytes >= Limits.responseSizeBytesMax
  }

  /// Whether the page should end because enough was read, even if it has few matches.
  var hasReadEnough: Bool {
    readBytes >= Self.readBytesMax || page.recordsRead >= scope.recordsMax || hasWorkedEnough
  }

  /// Whether the page should end because of the work done.
  var hasWorkedEnough: Bool { page.steps >= scope.stepsMax }

  /// The number of further matches that the page can take.
  var budget: Int { scope.limit - page.items.count }

  /// - Returns: whether the page had capacity for the match. If it had none, the match belongs to
  ///   the next page.
  mutating func add(_ record: StoredRecord, in zone: StoredZone) -> Bool {
    if !scope.countsOnly {
      let size = AnswerBudget.sizeBytesMax(of: record, selection: scope.selection)
      guard !isFull, page.budget.take(size) else { return false }
      page.items.append(QueryPage.Item(record: record, zone: zone))
      sizeBytes += record.fields.text.count
    }
    page.count += 1
    return true
  }

  /// Counts a match whose record is not needed.
  mutating func addUnseen() { page.count += 1 }

  mutating func noteRead(entries: Int) {
    page.entriesRead += entries
    page.steps += entries
  }

  mutating func end(at position: EntryPosition?) {
    page.position = position
    page.isSlice =
      hasWorkedEnough && !isFull && !page.budget.isFull && readBytes < Self.readBytesMax
  }

  /// Returns the zone of an entry, or nil if the zone was deleted and its entries will be removed.
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

  /// Returns the records of the first entries, in the order of the entries. The item of an entry is
  /// nil if its zone was deleted, or if its record is not visible.
  ///
  /// - Returns: at least one item, unless `entries` is empty. There are fewer items than entries if
  ///   the records of all entries are too large to be read at once.
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
    if scope.hierarchies == nil { return items(of: entries, among: found) }
    for (id, records) in found {
      guard let zone = zones[id] else { continue }
      let shown = try shown(Array(records.values), in: zone)
      if shown.count < records.count {
        found[id] = Dictionary(uniqueKeysWithValues: shown.map { ($0.number, $0) })
      }
    }
    return items(of: entries, among: found)
  }

  private func items(
    of entries: ArraySlice<FoundEntry>, among found: [Int64: [Int64: StoredRecord]]
  ) -> [QueryPage.Item?] {
    entries.map { entry in
      guard let zone = zones[entry.zone], let record = found[entry.zone]?[entry.record]
      else { return nil }
      return QueryPage.Item(record: record, zone: zone)
    }
  }

  /// Returns those of the records that the caller may see.
  func shown(
    _ records: [StoredRecord], in zone: StoredZone
  ) throws(ServerError) -> [StoredRecord] {
    guard let hierarchies = scope.hierarchies else { return records }
    let roots = try scope.store.readableHierarchies(of: records.map(\.name), in: zone)
    return records.filter { record in
      guard let root = roots[record.name].map(ExactName.init), hierarchies.contains(root)
      else { return false }
      // NB: if the root matched, the caller would learn the name of its parent, which is not
      // shared.
      return !asksForParent || root != ExactName(record.name)
    }
  }

  /// Returns the values that the filters and the order need.
  func values(of record: StoredRecord) throws(ServerError) -> RecordValues {
    if neededFields.isEmpty { return RecordValues(record: record, fields: [:]) }
    do {
      return RecordValues(record: record, fields: try record.fields.values(of: neededFields))
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }

  /// Whether the record passes the remaining filters, which the index has not answered.
  mutating func matches(_ values: RecordValues) -> Bool {
    let filters = scope.plan.candidate.remaining.count
    page.steps += 2 + values.record.fields.text.count * (1 + filters) / Self.bytesPerStep
    return scope.plan.candidate.remaining.allSatisfy {
      $0.holds(for: values, searchable: scope.query.searchable)
    }
  }
}
