import StratusWire

/// The sort order of a query, as columns of an index.
struct QueryOrder: Sendable, Hashable {
  /// The columns, of which the first is ascending. If ``isReversed`` is true, the query requests
  /// the opposite order.
  var columns: [IndexColumn]
  var isReversed: Bool
  /// The sort by distance, or nil if the query does not sort by distance.
  var distance: Distance?

  /// A sort by the distance from a location.
  struct Distance: Sendable, Hashable {
    var source: IndexColumn.Source
    var location: Location
    /// The number of columns that sort before the distance.
    var columnsBefore = 0
    /// Whether the direction of this sort differs from that of the first sort key.
    var isOpposite = false
  }

  /// - Parameter constant: the sources whose value is the same in every matching record.
  init(_ sorts: [CheckedSort], constant: Set<IndexColumn.Source>) {
    var seen = constant
    var kept: [CheckedSort] = []
    for sort in sorts where seen.insert(sort.source).inserted { kept.append(sort) }
    isReversed = !(kept.first?.isAscending ?? true)
    columns = []
    for sort in kept {
      let isOpposite = sort.isAscending == isReversed
      if let location = sort.location {
        distance = Distance(
          source: sort.source, location: location, columnsBefore: columns.count,
          isOpposite: isOpposite)
      } else {
        columns.append(IndexColumn(sort.source, isOpposite ? .descendingValue : .value))
      }
    }
  }

  var isEmpty: Bool { columns.isEmpty && distance == nil }

  /// Whether no index can have the order, so that records must be sorted in memory.
  var isUnindexed: Bool { (distance?.columnsBefore ?? 0) > 0 }

  /// Returns bytes that sort records in this order, or in the opposite order if `isReversed`.
  func key(of values: RecordValues) -> [UInt8] {
    var key: [UInt8] = []
    for index in 0...columns.count {
      if let distance, distance.columnsBefore == index {
        let bytes = ColumnBytes.of(distance: distance.metres(to: values))
        key += distance.isOpposite ? bytes.inverted : bytes
      }
      if index == columns.count { break }
      let bytes = ColumnBytes.of(values.scalar(columns[index].source))
      key += columns[index].form == .descendingValue ? bytes.inverted : bytes
    }
    return key
  }
}

extension QueryOrder.Distance {
  /// Returns the distance in metres to the centre of the smallest cell around a record's location,
  /// or infinity if the record has no location.
  func metres(to values: RecordValues) -> Double {
    values.value(source)?.location.map { metres(to: Cell.code(of: $0)) } ?? .infinity
  }

  func metres(to code: UInt64) -> Double { location.distance(to: Cell.centre(of: code)) }
}
