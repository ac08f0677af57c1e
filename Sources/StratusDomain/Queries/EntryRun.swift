import StratusWire

/// The database and zone of a record, by their numbers in the store.
struct RecordHome: Hashable, Sendable {
  var database: Int64
  var zone: Int64
}

/// An entry, with the name, database and zone of its record.
struct LocatedEntry: Sendable {
  var home: RecordHome
  var recordName: String
  var entry: IndexEntry
}

/// A run of entries in packed form, because an index build may have a million entries in memory.
/// After ``sort()``, the entries have the order of the entries' table.
struct EntryRun: Sendable {
  /// The range of an entry in `bytes`. An entry consists of database, index, value, zone, record
  /// number and record name.
  ///
  /// NB: these bytes sort in the order of these six values, because no value of an index is a
  /// prefix of another one.
  private struct Item {
    var start: Int
    var valueCount: UInt32
    var nameCount: UInt32

    var count: Int { EntryRun.numbersCount + Int(valueCount) + Int(nameCount) }
  }

  private static let numbersCount = 32

  private var bytes: [UInt8] = []
  private var items: [Item] = []

  var count: Int { items.count }

  /// The number of bytes of memory that the run uses.
  var sizeBytes: Int { bytes.count + items.count * MemoryLayout<Item>.stride }

  mutating func append(_ entry: IndexEntry, of recordName: String, in home: RecordHome) {
    let start = bytes.count
    append(home.database)
    append(entry.index)
    bytes.append(contentsOf: entry.value)
    append(home.zone)
    append(entry.record)
    bytes.append(contentsOf: recordName.utf8)
    let nameCount = bytes.count - start - Self.numbersCount - entry.value.count
    items.append(
      Item(
        start: start, valueCount: UInt32(entry.value.count), nameCount: UInt32(nameCount)))
  }

  private mutating func append(_ number: Int64) {
    let ordered = UInt64(bitPattern: number) ^ Self.signBit
    withUnsafeBytes(of: ordered.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static let signBit: UInt64 = 1 << 63

  mutating func sort() {
    bytes.withUnsafeBytes { bytes in
      items.sort { one, other in
        UnsafeRawBufferPointer(rebasing: bytes[one.start..<one.start + one.count]).lies(
          before: UnsafeRawBufferPointer(
            rebasing: bytes[other.start..<other.start + other.count]))
      }
    }
  }

  /// Whether an entry of this run sorts before an entry of another run.
  func lies(_ position: Int, before other: EntryRun, _ otherIndex: Int) -> Bool {
    withBytes(of: position) { one in
      other.withBytes(of: otherIndex) { one.lies(before: $0) }
    }
  }

  private func withBytes<Value>(
    of position: Int, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    let item = items[position]
    return bytes.withUnsafeBytes { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start + item.count]))
    }
  }

  subscript(position: Int) -> LocatedEntry {
    let item = items[position]
    let value = item.start + 16
    let zone = value + Int(item.valueCount)
    let name = zone + 16
    return LocatedEntry(
      home: RecordHome(database: number(at: item.start), zone: number(at: zone)),
      recordName: String(decoding: bytes[name..<name + Int(item.nameCount)], as: UTF8.self),
      entry: IndexEntry(
        index: number(at: item.start + 8), value: Array(bytes[value..<zone]),
        record: number(at: zone + 8)))
  }

  private func number(at start: Int) -> Int64 {
    let ordered = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(bitPattern: ordered ^ Self.signBit)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func lies(before other: UnsafeRawBufferPointer) -> Bool {
    let shared = Swift.min(count, other.count)
    var position = 0
    while position + 8 <= shared {
      let own = loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let others = other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if own != others { return own.bigEndian < others.bigEndian }
      position += 8
    }
    while position < shared {
      if self[position] != other[position] { return self[position] < other[position] }
      position += 1
    }
    return count < other.count
  }
}

/// Merges several sorted runs into one sequence.
struct EntryMerge: Sendable {
  private let runs: [EntryRun]
  /// The position of the next entry in each run.
  private var positions: [Int]
  /// The indices of the runs that have more entries. The run with the next entry is first.
  private var heap: [Int]

  init(_ runs: [EntryRun]) {
    self.runs = runs
    positions = Array(repeating: 0, count: runs.count)
    heap = runs.indices.filter { runs[$0].count > 0 }
    for position in (0..<heap.count / 2).reversed() { siftDown(position) }
  }

  /// Returns the next entries. There are fewer than `wanted` only at the end.
  mutating func next(_ wanted: Int) -> [LocatedEntry] {
    var found: [LocatedEntry] = []
    found.reserveCapacity(wanted)
    while found.count < wanted, let top = heap.first {
      found.append(runs[top][positions[top]])
      positions[top] += 1
      if positions[top] == runs[top].count {
        let end = heap.removeLast()
        if heap.isEmpty { break }
        heap[0] = end
      }
      siftDown(0)
    }
    return found
  }

  private mutating func siftDown(_ start: Int) {
    var position = start
    while true {
      var least = position
      for child in [2 * position + 1, 2 * position + 2]
      where child < heap.count && precedes(heap[child], heap[least]) {
        least = child
      }
      if least == position { return }
      heap.swapAt(position, least)
      position = least
    }
  }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    runs[one].lies(positions[one], before: runs[other], positions[other])
  }
}
