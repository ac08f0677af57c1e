import StratusWire

/// Reads the entries of several stretches in one order: by what follows their prefixes, then zone,
/// then record number.
///
/// Stretches are opened when their turn comes, and read in pieces that grow, so that the first page
/// of many stretches costs a seek each and no more.
struct EntryCursor {
  enum Step {
    case entry(FoundEntry, prefixCount: Int)
    case end
    /// As much was read as may be; ``position`` is where to go on.
    case exhausted
  }

  private struct Stream {
    let stretch: QueryPlan.Stretch
    /// What was read and not yet handed out, from `next` on.
    var buffer: [FoundEntry] = []
    var next = 0
    /// The next entry; or, with an empty buffer, a place that no later entry lies before.
    var head: FoundEntry
    var hasMore = true
    /// Where the next piece begins.
    var after: EntryPosition?
    var pieceSize: Int
    /// Whether the last piece had no entry of the zone that is wanted.
    var isForeign = false

    var isLoaded: Bool { next < buffer.count }
  }

  private let index: Int64
  private let database: DatabaseKey
  /// Entries of other zones are passed over; nil: none are.
  private let zone: Int64?
  private let isReversed: Bool
  private let entriesMax: Int
  private let start: EntryPosition?
  private var streams: [Stream] = []
  /// Places of streams that are not at their end, the one with the next entry first.
  private var heap: [Int] = []
  private var last: (entry: FoundEntry, prefixCount: Int)?
  private(set) var entriesRead = 0

  /// - Parameters:
  ///   - after: the value is without its prefix.
  ///   - expected: about how many entries will be asked for.
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
    // NB: read from the end, nothing is known of a stretch before it is opened.
    if !isReversed { heapify() }
  }

  /// Where the entry handed out last lies, or one passed over since; without its prefix.
  ///
  /// Before the first one: a place that none lies before; nil: no such place is known.
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
    // Otherwise the head stays: what is still to be read lies behind it.
  }

  private mutating func openAll(_ store: any StoreReading) throws(ServerError) {
    for place in streams.indices { try load(place, store) }
    heap = streams.indices.filter { streams[$0].isLoaded }
    heapify()
  }

  private mutating func load(_ place: Int, _ store: any StoreReading) throws(ServerError) {
    let stretch = streams[place].stretch
    if streams[place].isForeign, let end = streams[place].buffer.last, let zone {
      streams[place].after = jump(from: end, to: zone)
    } else if let end = streams[place].buffer.last {
      streams[place].after = end
    }
    let limit = streams[place].pieceSize
    let range = EntryRange(
      index: index, lower: stretch.lower, upper: stretch.upper, after: streams[place].after,
      isReversed: isReversed)
    let found = try store.entries(in: range, of: database, limit: limit)
    entriesRead += max(found.count, 1)
    streams[place].buffer = found
    streams[place].next = 0
    streams[place].hasMore = found.count == limit
    streams[place].isForeign = zone.map { own in !found.contains { $0.zone == own } } ?? false
    streams[place].pieceSize = min(limit * 4, 1_000)
    if let first = found.first { streams[place].head = first }
  }

  /// Past all other zones' entries of a value, where a whole piece had none of the zone's own.
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
    for place in (0..<heap.count / 2).reversed() { siftDown(place) }
  }

  private mutating func removeTop() {
    let end = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = end
    siftDown(0)
  }

  private mutating func siftDown(_ start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
        if precedes(heap[child], heap[least]) { least = child }
      }
      if least == place { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
