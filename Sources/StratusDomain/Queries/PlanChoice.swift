import StratusWire

/// Chooses how to answer a query. The choice depends on the existing indexes and on the number of
/// entries that each plan would read.
struct PlanChoice {
  enum Outcome {
    /// A plan, and alternatives that may be faster if the plan takes long to fill a page.
    case plan(QueryPlan, gathers: [QueryPlan] = [])
    /// Indexes that must be created, and existing indexes that must become ready, before the query
    /// is answered.
    case needs([[IndexColumn]], building: [Int64])
  }

  let query: CheckedQuery
  let planner: QueryPlanner
  let indexes: [QueryIndex]
  let store: any StoreReading
  let database: DatabaseKey
  /// The zone to search, or nil to search all zones.
  let zone: Int64?
  /// Whether to wait for an index that only makes the query faster.
  let waits: Bool
  /// Whether the caller's query may create indexes.
  var makesIndexes = true
  /// The number of records in a page.
  let pageSize: Int
  /// The number of entries read to choose a plan.
  private(set) var entriesRead = 0

  /// The maximum number of entries that ``best(_:)`` counts for each plan. Plans with more entries
  /// count as equally slow.
  private static let probeMax = 2_000

  mutating func choose() throws(ServerError) -> Outcome {
    let mains = 0..<planner.mainCount
    let gathers = planner.mainCount..<planner.mainCount + planner.gatherCount
    var survey = Survey(indexes: indexes, makesIndexes: makesIndexes)
    for ordinal in mains { survey.look(at: planner.candidates[ordinal], ordinal) }
    if !survey.hasPlan {
      for ordinal in planner.fallbacks { survey.look(at: planner.candidates[ordinal], ordinal) }
    }
    if !survey.hasPlan { return try unindexed() }
    for ordinal in gathers { survey.look(at: planner.candidates[ordinal], ordinal) }
    let isServed = survey.plans.contains { !gathers.contains($0.ordinal) }
    if survey.isIncomplete, waits || !isServed {
      return .needs(survey.wanted, building: survey.building)
    }
    let main = try best(survey.plans.filter { !gathers.contains($0.ordinal) })
    let others = survey.plans.filter { gathers.contains($0.ordinal) }
    if others.isEmpty { return .plan(main) }
    // NB: a plan that sorts by distance may fail if many locations have the same distance.
    let isCertain = main.candidate.kind == .scan || main.candidate.order.columns.isEmpty
    // A gather sorts a few ranges in memory. If all their entries fit into one page, no plan reads
    // less.
    let max = isCertain ? min(pageSize, Limits.queryGatherMax) : Limits.queryGatherMax
    if let small = try smallest(others, max: max) { return .plan(small) }
    return .plan(main, gathers: isCertain ? others : [])
  }

  /// Finds a plan for a sort order that no index has or can have. Such a plan sorts a few records
  /// in memory.
  ///
  /// - Throws: `BAD_REQUEST` if too many records match, or if no index can serve the query and the
  ///   record type has the maximum number of indexes.
  private mutating func unindexed() throws(ServerError) -> Outcome {
    var survey = Survey(indexes: indexes, makesIndexes: makesIndexes)
    for ordinal in planner.sweeps { survey.look(at: planner.candidates[ordinal], ordinal) }
    if let small = try smallest(survey.plans, max: Limits.queryUnindexedMax) {
      return .plan(small)
    }
    if survey.isIncomplete { return .needs(survey.wanted, building: survey.building) }
    guard !makesIndexes, survey.plans.isEmpty, let last = planner.candidates.last else {
      throw noIndex
    }
    return .plan(QueryPlan(walk: last, ordinal: planner.candidates.count - 1))
  }

  /// The number of records read for a page after which ``instead(of:gathers:)`` looks for a faster
  /// plan.
  var recordsReadMax: Int { Swift.max(4 * pageSize, 200) }

  /// Finds a plan that is faster than continuing with the plan that began the page.
  ///
  /// - Parameter page: the page after ``recordsReadMax`` records have been read. It is not full.
  mutating func instead(
    of page: QueryPage, gathers: [QueryPlan]
  ) throws(ServerError) -> QueryPlan? {
    let recordsAhead =
      (pageSize - page.items.count) * page.recordsRead / Swift.max(page.items.count, 1)
    return try smallest(gathers, max: min(recordsAhead, Limits.queryGatherMax))
  }

  private mutating func smallest(
    _ plans: [QueryPlan], max: Int
  ) throws(ServerError) -> QueryPlan? {
    var small: (plan: QueryPlan, count: Int)?
    for plan in plans {
      let most = small.map { $0.count - 1 } ?? max
      let count = try probe(plan, max: most + 1)
      if count <= most { small = (plan, count) }
    }
    return small?.plan
  }

  /// Like ``choose()``, but only with plans that can continue where a gathered page ended.
  ///
  /// NB: that position is encoded with the columns of the sort order. An index with reversed
  /// columns encodes positions differently.
  mutating func chooseOrdered() throws(ServerError) -> Outcome {
    var survey = Survey(indexes: indexes, makesIndexes: makesIndexes, spellsOrder: true)
    for ordinal in 0..<planner.mainCount {
      survey.look(at: planner.candidates[ordinal], ordinal)
    }
    if !survey.hasPlan {
      for ordinal in planner.fallbacks { survey.look(at: planner.candidates[ordinal], ordinal) }
    }
    guard survey.hasPlan else { throw noIndex }
    if survey.isIncomplete, waits || survey.plans.isEmpty {
      return .needs(survey.wanted, building: survey.building)
    }
    return .plan(try best(survey.plans))
  }

  private var noIndex: ServerError {
    if planner.isUnindexed {
      return .badRequest(
        "too many records match for a sort by distance behind another sort: "
          + "\(Limits.queryUnindexedMax) are the most")
    }
    if !makesIndexes { return .badRequest(Reason.queryNeedsIndex) }
    return .badRequest(
      "no index can serve this order: type '\(query.recordType)' has "
        + "\(Limits.indexesPerRecordTypeMax) indexes of several fields, the most allowed")
  }

  private mutating func best(_ plans: [QueryPlan]) throws(ServerError) -> QueryPlan {
    guard let first = plans.first else { throw .fault("a query has no plan") }
    if plans.count == 1 { return first }
    var best = first
    var least = Self.probeMax
    for plan in plans {
      let count = try probe(plan, max: least)
      if count < least {
        least = count
        best = plan
      }
    }
    return best
  }

  /// Returns the number of the zone's entries in a plan's ranges, at most `max`.
  ///
  /// NB: entries of other zones may lie between these entries. If too many of them must be skipped,
  /// the result is `max`.
  private mutating func probe(_ plan: QueryPlan, max: Int) throws(ServerError) -> Int {
    var cursor = EntryCursor(
      plan.stretches, of: plan.index.id, in: database, zone: zone, expected: max,
      entriesMax: Swift.max(max, Limits.queryGatherMax))
    defer { entriesRead += cursor.entriesRead }
    var count = 0
    while count < max {
      switch try cursor.next(store) {
      case .entry: count += 1
      case .end: return count
      case .exhausted: return max
      }
    }
    return count
  }
}

/// The plans that a type's indexes offer for some candidates.
private struct Survey {
  let indexes: [QueryIndex]
  /// Whether missing indexes are created and waited for.
  let makesIndexes: Bool
  /// Whether an index with reversed columns must not be used.
  let spellsOrder: Bool
  var plans: [QueryPlan] = []
  var wanted: [[IndexColumn]] = []
  var building: [Int64] = []

  init(indexes: [QueryIndex], makesIndexes: Bool, spellsOrder: Bool = false) {
    self.indexes = indexes
    self.makesIndexes = makesIndexes
    self.spellsOrder = spellsOrder
  }

  /// Whether a plan exists now, or will exist when the indexes are ready.
  var hasPlan: Bool { !plans.isEmpty || !wanted.isEmpty || !building.isEmpty }

  /// Whether some of the plans wait for an index.
  var isIncomplete: Bool { !wanted.isEmpty || !building.isEmpty }

  mutating func look(at candidate: QueryCandidate, _ ordinal: Int) {
    let serving = indexes.filter { index in
      guard let isReversed = candidate.isReversed(in: index) else { return false }
      return !spellsOrder || isReversed == candidate.order.isReversed
    }
    if let index = serving.first(where: \.isReady) {
      if let plan = QueryPlan(candidate, ordinal: ordinal, index: index) { plans.append(plan) }
    } else if !makesIndexes {
      return
    } else if let index = serving.first {
      if !building.contains(index.id) { building.append(index.id) }
    } else if !wanted.contains(candidate.columns),
      IndexBuilder.hasRoom(
        for: candidate.columns, among: indexes.map(\.columns) + wanted,
        // An index is optional if another index can serve the query instead. This is true for a
        // gather, and for a candidate with equalities.
        isOptional: candidate.kind == .gather || !candidate.equalities.isEmpty)
    {
      wanted.append(candidate.columns)
    }
  }
}
