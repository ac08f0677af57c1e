import StratusWire

/// Reads a page of records by distance: nearest first, or farthest first.
///
/// If a cell of the Earth has many entries, the reader splits the cell into smaller ones. It always
/// continues with the pending cell that may contain the next location. Few cells are pending,
/// because a cell is split only when it is reached.
struct NearestReader {
  /// A cell of the Earth, the locations with one code, or the records without a location. All
  /// entries of a node have the same values in the columns of the query's equality filters.
  fileprivate struct Node {
    enum Content { case cell(Cell), locations(UInt64), noLocation }

    var prefix: Int
    var content: Content
    /// A bound in metres. Nearest first: no location of the node is nearer. Farthest first: no
    /// location of the node is farther.
    var bound: Double
  }

  private let scope: PageScope
  private let distance: QueryOrder.Distance
  private let prefixes: [[UInt8]]
  private let isReversed: Bool
  /// Only locations inside all of these circles match.
  private let circles: [Circle]
  /// The distance where the previous page ended, or nil for the first page. The page starts at this
  /// distance, after the previous page's position.
  private let start: Double?
  private var builder: PageBuilder
  private var nodes: [Node] = []
  /// The number of entries read since the first location of the page was reached.
  ///
  /// NB: earlier entries do not count. Otherwise a page that starts behind many entries might never
  /// make progress.
  private var entriesRead = 0
  private var hasReached = false
  private var passed: EntryPosition?

  /// Cells with at most this many entries are split into single locations.
  private static let crowd = 64

  init(_ scope: PageScope, by distance: QueryOrder.Distance) {
    self.scope = scope
    self.distance = distance
    prefixes = QueryPlan.prefixes(scope.plan.candidate, scope.plan.index)
    isReversed = scope.plan.candidate.order.isReversed
    circles = scope.query.filters.compactMap { $0.circle(of: distance.source) }
    start = scope.after.flatMap { ColumnBytes.distance($0.value) }
    passed = scope.after
    builder = PageBuilder(scope)
  }

  mutating func read() throws(ServerError) -> QueryPage {
    for prefix in prefixes.indices {
      if circles.isEmpty, !isReversed || start ?? .infinity == .infinity {
        push(Node(prefix: prefix, content: .noLocation, bound: .infinity))
      }
      push(prefix, .world)
    }
    while let node = pop() {
      switch node.content {
      case .cell(let cell):
        if hasReadEnough { return end(at: passed) }
        try split(cell, node.prefix)
      case .locations, .noLocation:
        var group = [node]
        while let next = nodes.first, next.bound == node.bound, !next.isCell {
          group.append(next)
          _ = pop()
        }
        if hasReadEnough { return end(at: passed) }
        hasReached = true
        if try take(group, distance: node.bound) { return end(at: passed) }
        passed = behind(node.bound)
      }
    }
    return end(at: nil)
  }

  private var hasReadEnough: Bool {
    hasReached && (entriesRead >= Limits.queryEntriesReadMax || builder.hasReadEnough)
  }

  private mutating func end(at position: EntryPosition?) -> QueryPage {
    builder.end(at: position)
    return builder.page
  }

  // Cells.

  private mutating func push(_ prefix: Int, _ cell: Cell) {
    if isOutside(cell) { return }
    let (least, greatest) = cell.distances(from: distance.location)
    if let start, isReversed ? least > start : greatest < start { return }
    push(Node(prefix: prefix, content: .cell(cell), bound: isReversed ? greatest : least))
  }

  /// Whether nothing in the cell can match.
  private func isOutside(_ cell: Cell) -> Bool {
    circles.contains { cell.distances(from: $0.centre).least >= $0.radius }
  }

  private mutating func noteRead(_ entries: Int) {
    builder.noteRead(entries: entries)
    if hasReached { entriesRead += entries }
  }

  private mutating func split(_ cell: Cell, _ prefix: Int) throws(ServerError) {
    let isSmallest = cell.level == Cell.levelMax
    let lower = prefixes[prefix] + ColumnBytes.of(cell: cell.code)
    let last = prefixes[prefix] + ColumnBytes.of(cell: cell.lastCode)
    let found = try scope.store.entries(
      in: EntryRange(index: scope.plan.index.id, lower: lower, upper: last.successor),
      of: scope.database, limit: isSmallest ? 1 : Self.crowd + 1)
    noteRead(max(found.count, 1))
    if found.count > Self.crowd {
      for quarter in cell.quarters { push(prefix, quarter) }
      return
    }
    var known: UInt64?
    for entry in found {
      let code = entry.value.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if code == known { continue }
      known = code
      if isOutside(Cell(code: code, level: Cell.levelMax)) { continue }
      let metres = distance.metres(to: code)
      if let start, isReversed ? metres > start : metres < start { continue }
      push(Node(prefix: prefix, content: .locations(code), bound: metres))
    }
  }

  // Locations.

  /// Returns the position after all locations at this distance.
  private func behind(_ metres: Double) -> EntryPosition {
    let key = ColumnBytes.of(distance: metres)
    if isReversed { return EntryPosition(value: key, zone: .min, record: .min) }
    let hasTies = !scope.plan.candidate.order.columns.isEmpty
    return EntryPosition(
      value: hasTies ? key + [0xFF] : key, zone: .max, record: .max)
  }

  /// Adds the records of the locations at one distance to the page.
  ///
  /// - Returns: whether the page ends here, because a match did not fit or enough was read.
  private mutating func take(
    _ group: [Node], distance metres: Double
  ) throws(ServerError) -> Bool {
    let stretches = group.map { node in
      let column =
        switch node.content {
        case .locations(let code): ColumnBytes.of(cell: code)
        case .noLocation, .cell: ColumnBytes.of(nil)
        }
      let value = prefixes[node.prefix] + column
      return QueryPlan.Stretch(prefixCount: value.count, lower: value, upper: value.successor)
    }
    let key = ColumnBytes.of(distance: metres)
    let hasTies = !scope.plan.candidate.order.columns.isEmpty
    var after: EntryPosition?
    if let position = scope.after, start == metres, !hasTies {
      after = EntryPosition(value: [], zone: position.zone, record: position.record)
    }
    var cursor = EntryCursor(
      stretches, of: scope.plan.index.id, in: scope.database, zone: scope.zone?.id,
      isReversed: isReversed, after: after, expected: builder.budget + 1,
      entriesMax: max(Limits.queryEntriesReadMax - entriesRead, 1))
    defer { noteRead(cursor.entriesRead) }
    if hasTies { return try takeSorted(&cursor, key: key) }
    while true {
      switch try cursor.next(scope.store) {
      case .entry(let entry, _):
        guard let item = try builder.record(of: entry) else { continue }
        let values = try builder.values(of: item.record)
        if builder.matches(values) {
          if !builder.add(item.record, in: item.zone) { return true }
        }
        passed = EntryPosition(value: key, zone: entry.zone, record: entry.record)
        if builder.hasReadEnough { return true }
      case .end: return false
      case .exhausted:
        if var position = cursor.position {
          position.value = key
          passed = position
        }
        return true
      }
    }
  }

  /// Like ``take(_:distance:)``, but for a query with further sort keys, which order the records at
  /// the same distance.
  private mutating func takeSorted(
    _ cursor: inout EntryCursor, key: [UInt8]
  ) throws(ServerError) -> Bool {
    // NB: `found` has positions instead of records, because thousands may match and few are
    // returned.
    var found: [EntryPosition] = []
    reading: while true {
      switch try cursor.next(scope.store) {
      case .entry(let entry, _):
        guard let item = try builder.record(of: entry) else { continue }
        let values = try builder.values(of: item.record)
        guard builder.matches(values) else { continue }
        let position = EntryPosition(
          value: scope.plan.candidate.order.key(of: values), zone: entry.zone,
          record: entry.record)
        if let after = scope.after, !comes(after, before: position) { continue }
        found.append(position)
        guard found.count <= Limits.queryGatherMax,
          builder.page.steps < Limits.queryStepsMax
        else { throw Self.tooMany }
      case .end: break reading
      case .exhausted:
        if passed == scope.after { throw Self.tooMany }
        return true
      }
    }
    found.sort { comes($0, before: $1) }
    for position in found {
      if builder.isFull { return true }
      if let item = try builder.record(of: position),
        !builder.add(item.record, in: item.zone)
      {
        return true
      }
      passed = position
    }
    return false
  }

  private static let tooMany = ServerError.badRequest(
    "too many records are at the same distance to sort them by another key")

  private func comes(_ one: EntryPosition, before other: EntryPosition) -> Bool {
    var order = one.value.compare(other.value, from: 0, 0)
    if order == 0, one.zone != other.zone {
      order = one.zone < other.zone ? -1 : 1
    } else if order == 0, one.record != other.record {
      order = one.record < other.record ? -1 : 1
    }
    return isReversed ? order > 0 : order < 0
  }
}

// A binary heap of nodes.
extension NearestReader {
  /// NB: at the same distance, a cell precedes locations, because it may contain more locations at
  /// that distance.
  private func precedes(_ one: Node, _ other: Node) -> Bool {
    if one.bound != other.bound {
      return isReversed ? one.bound > other.bound : one.bound < other.bound
    }
    return one.isCell && !other.isCell
  }

  private mutating func push(_ node: Node) {
    nodes.append(node)
    var position = nodes.count - 1
    while position > 0 {
      let parent = (position - 1) / 2
      guard precedes(nodes[position], nodes[parent]) else { return }
      nodes.swapAt(position, parent)
      position = parent
    }
  }

  private mutating func pop() -> Node? {
    guard let first = nodes.first, let end = nodes.popLast() else { return nil }
    if nodes.isEmpty { return first }
    nodes[0] = end
    var position = 0
    while true {
      var least = position
      for child in [2 * position + 1, 2 * position + 2] where child < nodes.count {
        if precedes(nodes[child], nodes[least]) { least = child }
      }
      if least == position { return first }
      nodes.swapAt(position, least)
      position = least
    }
  }
}

extension NearestReader.Node {
  fileprivate var isCell: Bool { if case .cell = content { true } else { false } }
}
