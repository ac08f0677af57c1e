/// Something about each of a record's fields, in the order of their names.
///
/// A dictionary for few keys: made, copied and walked through more often than looked into, and
/// asked for its keys in order.
struct FieldTable<Value> {
  private var entries: [(key: String, value: Value)] = []

  init() {}

  /// Makes room for so many.
  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  /// What there is about a field; nil: nothing.
  subscript(key: String) -> Value? {
    get {
      let place = place(of: key)
      return place.isTaken ? entries[place.index].value : nil
    }
    set {
      let place = place(of: key)
      switch (place.isTaken, newValue) {
      case (true, let value?): entries[place.index].value = value
      case (true, nil): entries.remove(at: place.index)
      case (false, let value?): entries.insert((key, value), at: place.index)
      case (false, nil): break
      }
    }
  }

  /// The names of the fields, sorted.
  var keys: [String] { entries.map(\.key) }

  /// In the order of the names.
  var values: [Value] { entries.map(\.value) }

  /// Where a field is, or would be.
  private func place(of key: String) -> (index: Int, isTaken: Bool) {
    var (start, end) = (0, entries.count)
    // NB: the last first: fields are often set in order.
    if let last = entries.last, last.key < key { return (end, false) }
    while start < end {
      let middle = (start + end) / 2
      if entries[middle].key < key { start = middle + 1 } else { end = middle }
    }
    return (start, start < entries.count && entries[start].key == key)
  }
}

extension FieldTable: Sequence {
  func makeIterator() -> IndexingIterator<[(key: String, value: Value)]> {
    entries.makeIterator()
  }

  var isEmpty: Bool { entries.isEmpty }

  /// What holds for a condition.
  func filter(_ isIncluded: ((key: String, value: Value)) -> Bool) -> FieldTable {
    var table = FieldTable()
    table.entries = entries.filter(isIncluded)
    return table
  }

  /// With each value made another.
  func mapValues<Other>(_ transform: (Value) -> Other) -> FieldTable<Other> {
    var table = FieldTable<Other>()
    table.entries = entries.map { ($0.key, transform($0.value)) }
    return table
  }
}
