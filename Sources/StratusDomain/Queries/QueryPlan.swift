import StratusWire

/// A way to answer a query, with the index that serves it.
struct QueryPlan: Sendable {
  /// A piece of the index.
  struct Stretch: Sendable, Hashable {
    /// Bytes in front that all its entries share; what follows decides the order among stretches.
    var prefixCount: Int
    var lower: [UInt8]
    /// nil: the index's end.
    var upper: [UInt8]?
  }

  var candidate: QueryCandidate
  /// Its place among the query's candidates.
  var ordinal: Int
  var index: QueryIndex
  /// Apart from each other.
  var stretches: [Stretch]
  var isReversed: Bool

  /// nil: the index cannot serve.
  init?(_ candidate: QueryCandidate, ordinal: Int, index: QueryIndex) {
    guard let isReversed = candidate.isReversed(in: index) else { return nil }
    self.candidate = candidate
    self.ordinal = ordinal
    self.index = index
    self.isReversed = isReversed
    stretches = []
    let prefixes = Self.prefixes(candidate, index)
    guard let reach = candidate.reach, candidate.kind != .nearest else {
      stretches = prefixes.map { Self.stretch($0, ColumnInterval(beginning: [])) }
      return
    }
    let place = candidate.equalities.count
    let isOpposite = index.columns[place].form == .descendingValue
    for prefix in prefixes {
      for interval in reach.intervals where !interval.isEmpty {
        stretches.append(Self.stretch(prefix, isOpposite ? interval.opposite : interval))
      }
    }
  }

  /// A way without an index.
  init(walk candidate: QueryCandidate, ordinal: Int) {
    self.candidate = candidate
    self.ordinal = ordinal
    index = QueryIndex(id: Self.noIndex, recordType: "", columns: [], isReady: true)
    stretches = []
    isReversed = false
  }

  /// The number that no index has.
  static let noIndex: Int64 = 0

  /// What the entries begin with: every combination of the equalities' values.
  static func prefixes(_ candidate: QueryCandidate, _ index: QueryIndex) -> [[UInt8]] {
    var prefixes: [[UInt8]] = [[]]
    for column in index.columns.prefix(candidate.equalities.count) {
      let values = candidate.equalities.first { $0.column == column }?.values ?? []
      prefixes = prefixes.flatMap { prefix in values.map { prefix + $0 } }
    }
    return prefixes
  }

  private static func stretch(_ prefix: [UInt8], _ interval: ColumnInterval) -> Stretch {
    let upper = prefix + interval.upper.bytes
    return Stretch(
      prefixCount: prefix.count, lower: prefix + (interval.lower.start ?? [0xFF]),
      upper: interval.upper.isBehind ? upper.successor : upper)
  }

  /// The word and the columns, for explanations.
  var word: String {
    switch candidate.kind {
    case .scan: stretches.count > 1 ? "merge" : "scan"
    case .gather: "gather"
    case .nearest: "nearest"
    case .walk: "walk"
    }
  }

  var columnsText: String { index.columns.map(\.text).joined(separator: ", ") }
}
