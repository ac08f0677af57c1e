import StratusWire

/// One way to answer a query: what index it needs, what that answers, and what remains to be
/// checked on the records.
struct QueryCandidate: Sendable, Hashable {
  enum Kind: UInt8, Sendable {
    /// The stretches of an index as they come, side by side where there are several.
    case scan = 1
    /// A few stretches read whole and sorted in memory.
    case gather = 2
    /// Places, the nearest or the farthest first.
    case nearest = 3
    /// The records of a zone without any index, sorted in memory.
    case walk = 4
  }

  /// A column that has one of some values.
  struct Equality: Sendable, Hashable {
    var column: IndexColumn
    /// As the column spells them.
    var values: [[UInt8]]
  }

  /// A column whose values lie in intervals.
  struct Reach: Sendable, Hashable {
    var column: IndexColumn
    /// In order, apart from each other.
    var intervals: [ColumnInterval]
  }

  var kind: Kind
  /// The first columns, in an order that equal queries share.
  var equalities: [Equality]
  /// On the column behind them; in an order, on its first.
  var reach: Reach?
  var order: QueryOrder
  var remaining: [CheckedFilter]
  /// What tells the one entry by which a record counts, where it may have several in the stretches.
  var distinguishing: QueryCondition?

  /// The columns behind the equalities'.
  var following: [IndexColumn] {
    switch kind {
    case .scan: order.isEmpty ? reach.map { [$0.column] } ?? [] : order.columns
    case .gather: reach.map { [$0.column] } ?? []
    case .nearest: order.distance.map { [IndexColumn($0.source, .cell)] } ?? []
    case .walk: []
    }
  }

  /// The index made for it.
  var columns: [IndexColumn] {
    let columns = equalities.map(\.column) + following
    return columns.isEmpty ? [.recordName] : columns
  }

  /// Whether the entries come in the order asked for.
  private var needsOrder: Bool { kind != .gather && kind != .walk && !order.isEmpty }

  /// How an index can be read for this; nil: it cannot.
  ///
  /// - Returns: whether it has to be read from its end.
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

  /// Whether every record has exactly one.
  var hasOneEntry: Bool { form == .value || form == .descendingValue }

  var opposite: IndexColumn {
    switch form {
    case .value: IndexColumn(source, .descendingValue)
    case .descendingValue: IndexColumn(source, .value)
    case .member, .token, .earlierToken, .cell: self
    }
  }

  /// As explanations name it.
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
