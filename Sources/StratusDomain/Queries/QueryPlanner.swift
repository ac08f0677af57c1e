import StratusWire

/// Finds the ways to answer a query, called candidates. The candidates depend on the query alone,
/// so that a continuation marker can identify a candidate by its position in the list.
struct QueryPlanner {
  /// A filter, or a part of a filter, that can select the matching records through an index.
  fileprivate struct Driver {
    /// The positions of the filters that the driver answers completely.
    var answered: Set<Int>
    var equality: QueryCandidate.Equality?
    var reach: QueryCandidate.Reach?
    var distinguishing: QueryCondition?
  }

  /// All candidates, in a stable order.
  private(set) var candidates: [QueryCandidate] = []
  /// The number of main candidates, which read in the requested order. Main candidates come first.
  private(set) var mainCount = 0
  /// The number of candidates that may select few records and sort them (gathers). They come
  /// second.
  private(set) var gatherCount = 0
  /// The number of candidates that use an index that probably exists (fallbacks). They come third.
  private(set) var fallbackCount = 0
  /// The number of candidates for the case that no index has the order (sweeps). They sort the
  /// records that match one filter, or all records. They come fourth. After them comes one
  /// candidate that reads the zone itself (a walk).
  private(set) var sweepCount = 0

  private let query: CheckedQuery
  private var equalities: [Driver] = []
  private var explosions: [Driver] = []
  private var reaches: [Driver] = []

  /// The maximum number of words, list members or ranges for which the planner makes separate
  /// candidates. Finding the rarest of many words is not worth more reads of the indexes.
  private static let alternativesMax = 6
  private static let equalitiesMax = 4

  init(_ query: CheckedQuery) {
    self.query = query
    for (index, filter) in query.filters.enumerated() {
      if case .condition(let condition) = filter, !condition.isNegated {
        addDrivers(of: condition, at: index)
      }
    }
    let fixed = Set(equalities.compactMap(\.equality?.column))
    reaches = merged(reaches).filter { !fixed.contains($0.reach?.column ?? .recordName) }
    var mains: [QueryCandidate] = []
    var gathers: [QueryCandidate] = []
    var fallbacks: [QueryCandidate] = []
    var sweeps: [QueryCandidate] = []
    plan(&mains, &gathers, &fallbacks, &sweeps)
    mainCount = mains.count
    gatherCount = gathers.count
    fallbackCount = fallbacks.count
    sweepCount = sweeps.count
    candidates = mains + gathers + fallbacks + sweeps
    candidates.append(candidate(.walk, [], order: order))
  }

  /// The positions of the candidates that read an index of any order, and sort records in memory.
  var sweeps: Range<Int> {
    let start = mainCount + gatherCount + fallbackCount
    return start..<start + sweepCount
  }

  /// The positions of the candidates that fall back on an index for the sort order, for one filter,
  /// or for record names.
  var fallbacks: Range<Int> {
    let start = mainCount + gatherCount
    return start..<start + fallbackCount
  }

  /// Whether no index can have the requested order.
  var isUnindexed: Bool { order.isUnindexed }

  /// The requested order, without the sort keys whose value is the same in every matching record.
  private var order: QueryOrder {
    QueryOrder(
      query.sorts,
      constant: Set(
        equalities.compactMap(\.equality).filter { $0.values.count == 1 }.map(\.column.source)))
  }

  /// Whether no record can match.
  var matchesNothing: Bool {
    query.filters.contains { filter in
      guard case .condition(let condition) = filter, !condition.isNegated else { return false }
      switch condition.test {
      case .never: return true
      case .oneOf(let values), .anyMember(let values): return values.isEmpty
      case .present, .within, .prefix, .suffix, .infix, .allMembers, .memberPrefix, .anyWord,
        .allTokens, .near:
        return false
      }
    }
  }

  // The three kinds of queries: by distance, sorted by fields, and unsorted.

  private func plan(
    _ mains: inout [QueryCandidate], _ gathers: inout [QueryCandidate],
    _ fallbacks: inout [QueryCandidate], _ sweeps: inout [QueryCandidate]
  ) {
    let order = order
    let sorted = Set(order.columns.map(\.source))
    // An IN filter on the first sort key is used like a range of several intervals.
    let atFirst = order.columns.first.flatMap { first in
      reaches.first { $0.reach?.column == first }
        ?? equalities.first { $0.equality?.column == first }?.asReach
    }
    let columns = chosenEqualities(but: sorted, beside: atFirst)
    let others = Array((explosions + reaches).prefix(Self.alternativesMax))
    if !order.isEmpty {
      sweeps = (chosenEqualities(but: [], beside: nil) + others).map {
        candidate(.gather, [$0], order: order)
      }
      sweeps.append(candidate(.gather, [], order: order))
    }
    if order.isUnindexed { return }
    if let distance = order.distance {
      mains = [candidate(.nearest, columns, order: order)]
      fallbacks = [candidate(.nearest, [], order: order)]
      gathers = others.filter { driver in
        driver.reach?.column != IndexColumn(distance.source, .cell)
      }.map { candidate(.gather, columns + [$0], order: order) }
    } else if let first = order.columns.first {
      let bounded = atFirst.map { [$0] } ?? []
      let words = explosions.prefix(Self.alternativesMax)
      mains =
        words.isEmpty
        ? [candidate(.scan, columns + bounded, order: order)]
        : words.map { word in
          candidate(
            .scan, columns + [word] + bounded.filter { $0.fits(beside: word) }, order: order)
        }
      gathers = reaches.filter { $0.reach?.column != first }.prefix(Self.alternativesMax)
        .map { candidate(.gather, columns + [$0], order: order) }
      fallbacks = [candidate(.scan, bounded, order: order)]
    } else {
      mains = others.map { candidate(.scan, columns + [$0], order: order) }
      if mains.isEmpty { mains = [candidate(.scan, columns, order: order)] }
      fallbacks = (columns + others).map { candidate(.scan, [$0], order: order) }
      fallbacks.append(candidate(.scan, [], order: order))
    }
  }

  private func candidate(
    _ kind: QueryCandidate.Kind, _ drivers: [Driver], order: QueryOrder
  ) -> QueryCandidate {
    let answered = drivers.reduce(into: Set<Int>()) { $0.formUnion($1.answered) }
    return QueryCandidate(
      kind: kind,
      equalities: drivers.compactMap(\.equality).sorted { $0.column.text < $1.column.text },
      reach: drivers.compactMap(\.reach).first, order: order,
      remaining: query.filters.indices.filter { !answered.contains($0) }.map {
        query.filters[$0]
      },
      distinguishing: drivers.compactMap(\.distinguishing).first)
  }

  /// Chooses a few columns whose values do not have too many combinations. The filters on the other
  /// columns are checked on the records.
  private func chosenEqualities(
    but sorted: Set<IndexColumn.Source>, beside other: Driver?
  ) -> [Driver] {
    var chosen: [Driver] = []
    var count = (explosions + reaches).map(\.count).max() ?? 1
    if let other {
      // A range filter and a word are not combined if they would make too many ranges together.
      let beside = explosions.filter { other.fits(beside: $0) }.map(\.count).max() ?? 1
      count = max(count, other.count * beside)
    }
    let ordered = equalities.enumerated().sorted {
      ($0.element.count, $0.offset) < ($1.element.count, $1.offset)
    }
    for (_, driver) in ordered {
      guard let equality = driver.equality, !sorted.contains(equality.column.source),
        chosen.count < Self.equalitiesMax, count * driver.count <= Limits.queryRangesMax
      else { continue }
      count *= driver.count
      chosen.append(driver)
    }
    return chosen
  }

  // The drivers of each filter.

  private mutating func addDrivers(of condition: QueryCondition, at index: Int) {
    switch condition.test {
    case .oneOf(let values):
      guard !values.isEmpty, values.count <= Limits.queryRangesMax,
        !equalities.contains(where: { $0.equality?.column.source == condition.source })
      else { return }
      equalities.append(equality(condition, .value, values, at: index))
    case .within(let range): addReach(condition, range.interval, isExact: range.isExact, index)
    case .prefix(let text):
      addReach(
        condition, ColumnInterval(beginning: ColumnBytes.beginning(text)),
        isExact: text.count <= ColumnBytes.textBytesMax, index)
    case .anyMember(let values):
      guard !values.isEmpty, values.count <= Limits.queryRangesMax else { return }
      explosions.append(equality(condition, .member, values, at: index))
    case .allMembers(let values):
      for value in values {
        explosions.append(
          equality(condition, .member, [value], at: index, isWhole: values.count == 1))
      }
    case .anyWord(let words):
      // One token of each word is enough to find the records. The other tokens are checked on the
      // records.
      let leading = Set(words.compactMap(\.first)).sorted { $0.precedes($1) }
      explosions.append(
        equality(
          condition, .token, leading.map { .text($0) }, at: index,
          isWhole: words.allSatisfy { $0.count == 1 } && isExact(condition)))
    case .allTokens(let words):
      for word in words {
        explosions.append(
          equality(
            condition, .token, [.text(word)], at: index,
            isWhole: words.count == 1 && isExact(condition)))
      }
    case .memberPrefix(let text):
      reaches.append(
        Driver(
          answered: [],
          reach: .init(
            column: IndexColumn(condition.source, .member),
            intervals: [ColumnInterval(beginning: ColumnBytes.beginning(text))]),
          distinguishing: condition))
    case .near(let circle):
      reaches.append(
        Driver(
          answered: [],
          reach: .init(
            column: IndexColumn(condition.source, .cell),
            intervals: Cell.covering(circle.centre, within: circle.radius).map(\.interval)),
          distinguishing: condition))
    case .never, .present, .suffix, .infix: return
    }
  }

  /// Whether the index contains exactly the words that the condition searches.
  private func isExact(_ condition: QueryCondition) -> Bool {
    condition.source != .searchableFields || query.isAllSearchable
  }

  private func equality(
    _ condition: QueryCondition, _ form: IndexColumn.Form, _ values: [Scalar], at index: Int,
    isWhole: Bool = true
  ) -> Driver {
    let isExact = isWhole && values.allSatisfy(\.fitsColumn)
    var columns: [[UInt8]] = []
    for column in values.map({ ColumnBytes.of($0) }) where column != columns.last {
      columns.append(column)
    }
    return Driver(
      answered: isExact ? [index] : [],
      equality: .init(column: IndexColumn(condition.source, form), values: columns))
  }

  private mutating func addReach(
    _ condition: QueryCondition, _ interval: ColumnInterval, isExact: Bool, _ index: Int
  ) {
    reaches.append(
      Driver(
        answered: isExact ? [index] : [],
        reach: .init(column: IndexColumn(condition.source), intervals: [interval])))
  }

  /// If several filters limit the values of one column to a range, replaces their drivers by one
  /// driver with the intersection of the ranges.
  private func merged(_ reaches: [Driver]) -> [Driver] {
    var result: [Driver] = []
    for driver in reaches {
      guard let reach = driver.reach, reach.column.form == .value,
        let index = result.firstIndex(where: { $0.reach?.column == reach.column }),
        let own = reach.intervals.first, let other = result[index].reach?.intervals.first
      else {
        result.append(driver)
        continue
      }
      result[index].reach?.intervals = [own.intersection(other)]
      result[index].answered.formUnion(driver.answered)
    }
    return result
  }
}

extension QueryPlanner.Driver {
  /// The number of ranges that result from one range if this driver is added.
  fileprivate var count: Int { equality?.values.count ?? reach?.intervals.count ?? 1 }

  /// Whether the combined ranges of both drivers are within the limit.
  fileprivate func fits(beside other: QueryPlanner.Driver) -> Bool {
    count * other.count <= Limits.queryRangesMax
  }

  fileprivate var asReach: QueryPlanner.Driver? {
    guard let equality else { return nil }
    return QueryPlanner.Driver(
      answered: answered,
      reach: .init(
        column: equality.column, intervals: equality.values.map { ColumnInterval(beginning: $0) }))
  }
}

extension ScalarRange {
  /// The interval of the range's values, without missing values.
  var interval: ColumnInterval {
    let any = (lower ?? upper).map { ColumnBytes.tag(of: $0.value) } ?? []
    var interval = ColumnInterval(beginning: any)
    if let lower {
      // NB: a column holds only the beginning of a long value. All values with the same beginning
      // belong to the interval, and the filter is checked again on their records.
      let isBehind = !lower.isIncluded && lower.value.fitsColumn
      interval.lower = ColumnCut(bytes: ColumnBytes.of(lower.value), isBehind: isBehind)
    }
    if let upper {
      let isBehind = upper.isIncluded || !upper.value.fitsColumn
      interval.upper = ColumnCut(bytes: ColumnBytes.of(upper.value), isBehind: isBehind)
    }
    return interval
  }

  /// Whether the interval contains exactly the values of the range.
  var isExact: Bool {
    (lower?.value.fitsColumn ?? true) && (upper?.value.fitsColumn ?? true)
  }
}

extension Cell {
  /// The codes of the cell as an interval of column bytes.
  var interval: ColumnInterval {
    ColumnInterval(
      lower: ColumnCut(bytes: ColumnBytes.of(cell: code), isBehind: false),
      upper: ColumnCut(bytes: ColumnBytes.of(cell: lastCode), isBehind: true))
  }
}
