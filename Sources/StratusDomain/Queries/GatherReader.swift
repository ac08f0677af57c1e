import StratusWire

/// Reads a page by reading all entries of a few ranges and sorting their records.
///
/// The records are sorted as in the index that the query would otherwise read. A page can therefore
/// follow a page that was read from that index.
struct GatherReader {
  private struct Found {
    var key: [UInt8]
    var entry: FoundEntry
  }

  private let scope: PageScope
  private var builder: PageBuilder
  private static let batchMax = 200

  init(_ scope: PageScope) {
    self.scope = scope
    builder = PageBuilder(scope)
  }

  /// Reads the rows of the zone itself, because no index contains the records.
  ///
  /// - Throws: `BAD_REQUEST` if there are too many records to read and sort.
  mutating func walk() throws(ServerError) -> QueryPage {
    guard let zone = scope.zone else { throw .fault("a walk has no zone") }
    let tooMuch = ServerError.badRequest(Reason.queryNeedsIndex)
    var found: [Found] = []
    var range = ChangeRange(after: 0, through: zone.change)
    var rows = 0
    var candidates = 0
    while range.after < range.through {
      let changes = try scope.store.recordChanges(
        in: zone, range: range, newestFirst: false, limit: Self.batchMax,
        sizeBytesMax: Limits.responseSizeBytesMax)
      guard let last = changes.last else { break }
      range.after = last.change
      rows += changes.count
      let typed = changes.filter { !$0.isDeleted && $0.type == scope.query.recordType }
      for record in try builder.shown(typed, in: zone) {
        candidates += 1
        let entry = FoundEntry(value: [], zone: zone.id, record: record.number)
        try take(record, of: entry, into: &found)
      }
      guard rows <= Limits.queryWalkRowsMax, candidates <= Limits.queryUnindexedMax,
        !builder.hasReadEnough
      else { throw tooMuch }
    }
    found.sort { precedes($0, $1) }
    builder.noteRead(entries: rows)
    try fill(found)
    return builder.page
  }

  private mutating func take(
    _ record: StoredRecord, of entry: FoundEntry, into found: inout [Found]
  ) throws(ServerError) {
    let values = try builder.values(of: record)
    guard builder.matches(values) else { return }
    let match = Found(key: scope.plan.candidate.order.key(of: values), entry: entry)
    if let after = scope.after, !precedes(Found(key: after.value, entry: after), match) { return }
    found.append(match)
  }

  /// - Returns: the page, or nil if there are too many entries or records to read.
  mutating func read() throws(ServerError) -> QueryPage? {
    var cursor = EntryCursor(
      scope.plan.stretches, of: scope.plan.index.id, in: scope.database, zone: scope.zone?.id,
      expected: 1_000)
    var seen: Set<Int64> = []
    var batch: [FoundEntry] = []
    var found: [Found] = []
    reading: while true {
      switch try cursor.next(scope.store) {
      case .entry(let entry, _):
        if seen.insert(entry.record).inserted { batch.append(entry) }
        if batch.count == Self.batchMax {
          try take(batch, into: &found)
          batch = []
          if builder.hasReadEnough { return nil }
        }
      case .end: break reading
      case .exhausted: return nil
      }
    }
    try take(batch, into: &found)
    found.sort { precedes($0, $1) }
    try fill(found)
    builder.noteRead(entries: cursor.entriesRead)
    return builder.page
  }

  /// Adds to `found` the records that match and come after the previous page.
  private mutating func take(
    _ batch: [FoundEntry], into found: inout [Found]
  ) throws(ServerError) {
    var rest = batch
    while !rest.isEmpty {
      let items = try builder.records(of: rest)
      for (entry, item) in zip(rest, items) {
        guard let item else { continue }
        try take(item.record, of: entry, into: &found)
      }
      rest.removeFirst(items.count)
    }
  }

  private mutating func fill(_ found: [Found]) throws(ServerError) {
    if scope.countsOnly {
      for _ in found { builder.addUnseen() }
      return
    }
    let items = try builder.records(of: found.prefix(scope.limit).map(\.entry))
    var last = scope.after
    for (position, match) in found.enumerated() {
      if builder.isFull || position >= items.count {
        builder.end(at: last)
        return
      }
      if let item = items[position], !builder.add(item.record, in: item.zone) {
        builder.end(at: last)
        return
      }
      last = EntryPosition(
        value: match.key, zone: match.entry.zone, record: match.entry.record)
    }
  }

  private func precedes(_ one: Found, _ other: Found) -> Bool {
    var order = one.key.compare(other.key, from: 0, 0)
    if order == 0, one.entry.zone != other.entry.zone {
      order = one.entry.zone < other.entry.zone ? -1 : 1
    } else if order == 0, one.entry.record != other.entry.record {
      order = one.entry.record < other.entry.record ? -1 : 1
    }
    return scope.plan.candidate.order.isReversed ? order > 0 : order < 0
  }
}
