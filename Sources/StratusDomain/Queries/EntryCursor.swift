import StratusWire

/// Reads the entries of several ranges as one sequence. The sequence is sorted by the bytes after
/// the ranges' prefixes, then by zone, then by record number.
///
/// The cursor opens a range only when its first entry is needed, and reads it in growing chunks.
/// Even with many ranges, the first page therefore costs at most about one seek for each range.
struct EntryCursor {
  enum Step {
    case entry(FoundEntry, prefixCount: Int)
    case end
    /// The cursor has read the maximum number of entries. Reading can continue at ``position``.
    case exhausted
  }

  private struct Stream {
    let stretch: QueryPlan.Stretch
    /// The entries that were read. Those from index `next` on have not been returned yet.
    var buffer: [FoundEntry] = []
    var next = 0
    /// The next entry, or, if the buffer is empty, a position that no unread entry precedes.
    var head: FoundEntry
    var hasMore = true
    /// The position after which the next chunk begins.
    var after: EntryPosition?
    var pieceSize: Int
    /// Whether the last chunk had no entry of the wanted zone.
    var isForeign = false

    var isLoaded: Bool { next < buffer.count }
  }

  private let index: Int64
  private let database: DatabaseKey
  /// The zone to read, or nil for all zones. Entries of other zones are skipped.
  private let zone: Int64?
  private let isReversed: Bool
  private let entriesMax: Int
  private let start: EntryPosition?
  private var streams: [Stream] = []
  /// The indices of the streams that have more entries. The stream with the next entry is first.
  private var heap: [Int] = []
  private var last: (entry: FoundEntry, prefixCount: Int)?
  private(set) var entriesRead = 0

  /// - Parameters:
  ///   - after: the position after which to continue. Its value has no prefix.
  ///   - expected: the approximate number of entries that will be read.
  init(
    _ stretches: [QueryPlan.Stretch], of index: Int64, in database: DatabaseKey, zone: Int64?,
    isReversed: Bool = false, after: EntryPosition? = nil, expected: Int,
    entriesMax: Int = Limits.queryEntriesReadMax
  ) {
    self.index = index
    self.database = database
    self.zone = zone
    self.isReversed = isReversed
    self.entriesMax = entriesMax
    start = after
    let share = stretches.count > 1 ? expected / stretches.count + 1 : expected
    let piece = min(max(share, 2), 1_000)
    for stretch in stretches {
      var start = after
      start?.value = Array(stretch.lower.prefix(stretch.prefixCount)) + (after?.value ?? [])
      streams.append(
        Stream(
          stretch: stretch, head: FoundEntry(value: stretch.lower, zone: .min, record: .min),
          after: start, pieceSize: piece))
    }
    heap = Array(streams.indices)
    // NB: in reverse order, the first entry of a range is unknown until the range is opened.
    if !isReversed { heapify() }
  }

  /// The position of the last entry that was returned or skipped. Its value does not contain the
  /// prefix that all entries of the stretch share.
  ///
  /// Before the first entry, it is a position that no entry precedes, or nil if no such position is
  /// known.
  var position: EntryPosition? {
    guard let last else {
      guard !isReversed, let top = heap.first else { return nil }
      var position = streams[top].head
      position.value.removeFirst(streams[top].stretch.prefixCount)
      if let start, start.value.compare(position.value, from: 0, 0) >= 0 { return start }
      return position
    }
    var position = last.entry
    position.value.removeFirst(last.prefixCount)
    return position
  }

  mutating func next(_ store: any StoreReading) throws(ServerError) -> Step {
    if isReversed, last == nil, entriesRead == 0 { try openAll(store) }
    while let top = heap.first {
      guard streams[top].isLoaded else {
        if entriesRead >= entriesMax { return .exhausted }
        try load(top, store)
        if streams[top].isLoaded { siftDown(0) } else { removeTop() }
        continue
      }
      let entry = streams[top].head
      let prefixCount = streams[top].stretch.prefixCount
      advance(top)
      if let last, last.entry.zone == entry.zone,
        last.entry.value.compare(entry.value, from: last.prefixCount, prefixCount) == 0,
        last.entry.record == entry.record
      {
        continue
      }
      last = (entry, prefixCount)
      if let zone, entry.zone != zone { continue }
      return .entry(entry, prefixCount: prefixCount)
    }
    return .end
  }

  private mutating func advance(_ top: Int) {
    streams[top].next += 1
    if streams[top].isLoaded {
      streams[top].head = streams[top].buffer[streams[top].next]
      siftDown(0)
    } else if !streams[top].hasMore {
      removeTop()
    }
    // If the range has more entries that are not loaded, its head stays the same, because all of
    // these entries come after the head.
  }

  private mutating func openAll(_ store: any StoreReading) throws(ServerError) {
    for position in streams.indices { try load(position, store) }
    heap = streams.indices.filter { streams[$0].isLoaded }
    heapify()
  }

  private mutating func load(_ position: Int, _ store: any StoreReading) throws(ServerError) {
    let stretch = streams[position].stretch
    if streams[position].isForeign, let end = streams[position].buffer.last, let zone {
      streams[position].after = jump(from: end, to: zone)
    } else if let end = streams[position].buffer.last {
      streams[position].after = end
    }
    let limit = streams[position].pieceSize
    let range = EntryRange(
      index: index, lower: stretch.lower, upper: stretch.upper, after: streams[position].after,
      isReversed: isReversed)
    let found = try store.entries(in: range, of: database, limit: limit)
    entriesRead += max(found.count, 1)
    streams[position].buffer = found
    streams[position].next = 0
    streams[position].hasMore = found.count == limit
    streams[position].isForeign = zone.map { own in !found.contains { $0.zone == own } } ?? false
    streams[position].pieceSize = min(limit * 4, 1_000)
    if let first = found.first { streams[position].head = first }
  }

  /// Returns the position at which to continue after a chunk without entries of the wanted zone.
  /// The entries are ordered by value, and then by zone. The position skips entries that have the
  /// value of `entry` and belong to other zones.
  private func jump(from entry: FoundEntry, to zone: Int64) -> EntryPosition {
    let isBefore = isReversed ? entry.zone > zone : entry.zone < zone
    if isReversed {
      return EntryPosition(
        value: entry.value, zone: isBefore ? zone + 1 : .min, record: .min)
    }
    return EntryPosition(
      value: entry.value, zone: isBefore ? zone : .max, record: isBefore ? .min : .max)
  }
}

// A binary heap of streams.
extension EntryCursor {
  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let one = streams[left]
    let other = streams[right]
    var order = one.head.value.compare(
      other.head.value, from: one.stretch.prefixCount, other.stretch.prefixCount)
    if order == 0 {
      if one.head.zone != other.head.zone {
        order = one.head.zone < other.head.zone ? -1 : 1
      } else if one.head.record != other.head.record {
        order = one.head.record < other.head.record ? -1 : 1
      }
    }
    return isReversed ? order > 0 : order < 0
  }

  private mutating func heapify() {
    for position in (0..<heap.count / 2).reversed() { siftDown(position) }
  }

  private mutating func removeTop() {
    let end = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = end
    siftDown(0)
  }

  private mutating func siftDown(_ start: Int) {
    var position = start
    while true {
      var least = position
      for child in [2 * position + 1, 2 * position + 2] where child < heap.count {
        if precedes(heap[child], heap[least]) { least = child }
      }
      if least == position { return }
      heap.swapAt(position, least)
      position = least
    }
  }
}
