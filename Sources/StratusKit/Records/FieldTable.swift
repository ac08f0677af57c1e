/// A table with a value for each of a record's fields, sorted by field name.
///
/// It replaces a dictionary, because a record has few fields. Tables are made, copied and iterated
/// more often than they are searched, and their keys are needed in order.
struct FieldTable<Value> {
  private var entries: [(key: String, value: Value)] = []

  init() {}

  /// Reserves capacity for this number of fields.
  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  /// The value for a field; nil if there is none.
  subscript(key: String) -> Value? {
    get {
      let position = position(of: key)
      return position.isTaken ? entries[position.index].value : nil
    }
    set {
      let position = position(of: key)
      switch (position.isTaken, newValue) {
      case (true, let value?): entries[position.index].value = value
      case (true, nil): entries.remove(at: position.index)
      case (false, let value?): entries.insert((key, value), at: position.index)
      case (false, nil): break
      }
    }
  }

  /// The names of the fields, sorted.
  var keys: [String] { entries.map(\.key) }

  /// The values in the order of the field names.
  var values: [Value] { entries.map(\.value) }

  /// The index of a field, or the index at which it would be inserted.
  private func position(of key: String) -> (index: Int, isTaken: Bool) {
    var (start, end) = (0, entries.count)
    // NB: the last entry is checked first, because fields are often set in order.
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

  /// Returns a table with the entries that satisfy a condition.
  func filter(_ isIncluded: ((key: String, value: Value)) -> Bool) -> FieldTable {
    var table = FieldTable()
    table.entries = entries.filter(isIncluded)
    return table
  }

  /// Returns a table with the transformed value of each field.
  func mapValues<Other>(_ transform: (Value) -> Other) -> FieldTable<Other> {
    var table = FieldTable<Other>()
    table.entries = entries.map { ($0.key, transform($0.value)) }
    return table
  }
}
