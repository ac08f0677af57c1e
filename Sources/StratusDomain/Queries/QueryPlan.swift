import StratusWire

/// A plan of a query: one of its candidates, and the index that is used for the candidate.
struct QueryPlan: Sendable {
  /// A contiguous range of the index.
  struct Stretch: Sendable, Hashable {
    /// The number of leading bytes that all entries of the range share. The bytes after them decide
    /// the order between ranges.
    var prefixCount: Int
    var lower: [UInt8]
    /// The smallest bytes after the range, or nil if the range goes to the end of the index.
    var upper: [UInt8]?
  }

  var candidate: QueryCandidate
  /// The position of the candidate in the list of the query's candidates.
  var ordinal: Int
  var index: QueryIndex
  /// The ranges to read, which do not overlap.
  var stretches: [Stretch]
  var isReversed: Bool

  /// Creates a plan, or returns nil if the index cannot be used for the candidate.
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
    let position = candidate.equalities.count
    let isOpposite = index.columns[position].form == .descendingValue
    for prefix in prefixes {
      for interval in reach.intervals where !interval.isEmpty {
        stretches.append(Self.stretch(prefix, isOpposite ? interval.opposite : interval))
      }
    }
  }

  /// Creates a plan without an index.
  init(walk candidate: QueryCandidate, ordinal: Int) {
    self.candidate = candidate
    self.ordinal = ordinal
    index = QueryIndex(id: Self.noIndex, recordType: "", columns: [], isReady: true)
    stretches = []
    isReversed = false
  }

  /// A number that no index has.
  static let noIndex: Int64 = 0

  /// Returns the first bytes of the entries, for every combination of the equalities' values.
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

  /// The plan's name, for explanations.
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
