import StratusWire

/// The order a query asks for, as columns of an index.
struct QueryOrder: Sendable, Hashable {
  /// The first is ascending; the order is that of these, or its opposite.
  var columns: [IndexColumn]
  var isReversed: Bool
  /// nil: places do not matter.
  var distance: Distance?

  /// A sort by how far places are.
  struct Distance: Sendable, Hashable {
    var source: IndexColumn.Source
    var place: Location
    /// How many of the columns come before it.
    var columnsBefore = 0
    /// Whether it goes the other way than the first sort.
    var isOpposite = false
  }

  /// - Parameter constant: sources whose value is the same in every record that matches.
  init(_ sorts: [CheckedSort], constant: Set<IndexColumn.Source>) {
    var seen = constant
    var kept: [CheckedSort] = []
    for sort in sorts where seen.insert(sort.source).inserted { kept.append(sort) }
    isReversed = !(kept.first?.isAscending ?? true)
    columns = []
    for sort in kept {
      let isOpposite = sort.isAscending == isReversed
      if let place = sort.place {
        distance = Distance(
          source: sort.source, place: place, columnsBefore: columns.count, isOpposite: isOpposite)
      } else {
        columns.append(IndexColumn(sort.source, isOpposite ? .descendingValue : .value))
      }
    }
  }

  var isEmpty: Bool { columns.isEmpty && distance == nil }

  /// Whether no index has the order, so that records are sorted in memory.
  var isUnindexed: Bool { (distance?.columnsBefore ?? 0) > 0 }

  /// Bytes that sort records as the order does, but for its direction.
  func key(of values: RecordValues) -> [UInt8] {
    var key: [UInt8] = []
    for place in 0...columns.count {
      if let distance, distance.columnsBefore == place {
        let bytes = ColumnBytes.of(distance: distance.metres(to: values))
        key += distance.isOpposite ? bytes.inverted : bytes
      }
      if place == columns.count { break }
      let bytes = ColumnBytes.of(values.scalar(columns[place].source))
      key += columns[place].form == .descendingValue ? bytes.inverted : bytes
    }
    return key
  }
}

extension QueryOrder.Distance {
  /// To the smallest cell around a record's place; infinite where it has none.
  func metres(to values: RecordValues) -> Double {
    values.value(source)?.place.map { metres(to: Cell.code(of: $0)) } ?? .infinity
  }

  func metres(to code: UInt64) -> Double { place.distance(to: Cell.centre(of: code)) }
}
