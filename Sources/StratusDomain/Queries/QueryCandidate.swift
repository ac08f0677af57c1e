import StratusWire

/// One way to answer a query: the index that it needs, the filters that the index answers, and the
/// filters to check on the records.
struct QueryCandidate: Sendable, Hashable {
  enum Kind: UInt8, Sendable {
    /// Reads the ranges of an index in the index's order. Several ranges are merged.
    case scan = 1
    /// Reads a few whole ranges and sorts the records in memory.
    case gather = 2
    /// Reads locations by distance: nearest first, or farthest first.
    case nearest = 3
    /// Reads the records of a zone without an index, and sorts them in memory.
    case walk = 4
  }

  /// A column whose value must be one of ``values``.
  struct Equality: Sendable, Hashable {
    var column: IndexColumn
    /// The values, as the column encodes them.
    var values: [[UInt8]]
  }

  /// A column whose value must lie in one of ``intervals``.
  struct Reach: Sendable, Hashable {
    var column: IndexColumn
    /// The intervals, sorted and disjoint.
    var intervals: [ColumnInterval]
  }

  var kind: Kind
  /// The first columns of the index. Equal queries list these columns in the same order.
  var equalities: [Equality]
  /// The intervals of the column after the equalities. If the entries are read in order, this
  /// column is the first one of the sort order.
  var reach: Reach?
  var order: QueryOrder
  var remaining: [CheckedFilter]
  /// The condition that selects the one entry that represents a record. It is nil if no record can
  /// have several entries in the ranges.
  var distinguishing: QueryCondition?

  /// The columns after the columns of the equalities.
  var following: [IndexColumn] {
    switch kind {
    case .scan: order.isEmpty ? reach.map { [$0.column] } ?? [] : order.columns
    case .gather: reach.map { [$0.column] } ?? []
    case .nearest: order.distance.map { [IndexColumn($0.source, .cell)] } ?? []
    case .walk: []
    }
  }

  /// The columns of the index that is created for this candidate if no index fits.
  var columns: [IndexColumn] {
    let columns = equalities.map(\.column) + following
    return columns.isEmpty ? [.recordName] : columns
  }

  /// Whether the entries must come in the requested order.
  private var needsOrder: Bool { kind != .gather && kind != .walk && !order.isEmpty }

  /// Whether an index must be read from its end to its beginning for this candidate.
  ///
  /// - Returns: nil if the index cannot be used.
  func isReversed(in index: QueryIndex) -> Bool? {
    let own = Set(equalities.map(\.column))
    guard index.columns.count >= own.count, Set(index.columns.prefix(own.count)) == own else {
      return nil
    }
    let rest = Array(index.columns.dropFirst(own.count))
    let following = following
    let trailing = rest.dropFirst(following.count)
    guard trailing.isEmpty || (!needsOrder && trailing.allSatisfy(\.hasOneEntry)) else {
      return nil
    }
    if own.isEmpty, following.isEmpty, !index.columns.allSatisfy(\.hasOneEntry) { return nil }
    let isReversed = needsOrder && order.isReversed
    if rest.starts(with: following) { return isReversed }
    if rest.starts(with: following.map(\.opposite)) { return needsOrder && !isReversed }
    return nil
  }
}

extension IndexColumn {
  static let recordName = IndexColumn(.system(.recordName))

  /// Whether every record has exactly one entry for this column.
  var hasOneEntry: Bool { form == .value || form == .descendingValue }

  var opposite: IndexColumn {
    switch form {
    case .value: IndexColumn(source, .descendingValue)
    case .descendingValue: IndexColumn(source, .value)
    case .member, .token, .earlierToken, .cell: self
    }
  }

  /// The name of the column in explanations.
  var text: String {
    let name =
      switch source {
      case .field(let name): name
      case .system(let field): field.wireName
      case .searchableFields: "searchable fields"
      }
    return switch form {
    case .value: name
    case .descendingValue: name + " descending"
    case .member, .token, .earlierToken, .cell: name + " " + form.rawValue
    }
  }
}
