import StratusWire

/// Chooses among the ways to answer a query, by the indexes there are and by how much each would
/// read.
struct PlanChoice {
  enum Outcome {
    /// With ways that may turn out to be shorter, if a page takes long to fill.
    case plan(QueryPlan, gathers: [QueryPlan] = [])
    /// These indexes must be there first, and these be ready.
    case needs([[IndexColumn]], building: [Int64])
  }

  let query: CheckedQuery
  let planner: QueryPlanner
  let indexes: [QueryIndex]
  let store: any StoreReading
  let database: DatabaseKey
  /// Whether an index that only makes it faster is worth waiting for.
  let waits: Bool
  /// Whether the caller's query may bring about indexes.
  var makesIndexes = true
  /// Records of a page.
  let pageSize: Int
  /// Entries that were read to choose.
  private(set) var entriesRead = 0

  /// Entries that a probe counts; beyond them one way is as bad as another.
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
    // NB: what sorts places equally far may have to give up, where another way does not.
    let isCertain = main.candidate.kind == .scan || main.candidate.order.columns.isEmpty
    // No way reads less than what all fits in a page.
    let max = isCertain ? min(pageSize, Limits.queryGatherMax) : Limits.queryGatherMax
    if let small = try smallest(others, max: max) { return .plan(small) }
    return .plan(main, gathers: isCertain ? others : [])
  }

  /// A way for an order that no index has or may have: few records are sorted in memory.
  ///
  /// - Throws: `BAD_REQUEST` if there are more than few.
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

  /// Records read for a page, after which it is worth asking whether another way is shorter.
  var recordsReadMax: Int { Swift.max(4 * pageSize, 200) }

  /// A way that is shorter than to go on as a page began.
  ///
  /// - Parameter page: what came of reading so many records; it is not full.
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

  /// As ``choose()``, but only what can go on where a gathered page ended.
  ///
  /// NB: the place is spelled by the columns of the order; an index of the opposite ones spells it
  /// otherwise.
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

  /// How many entries a plan's stretches have, up to a number.
  private mutating func probe(_ plan: QueryPlan, max: Int) throws(ServerError) -> Int {
    var count = 0
    for stretch in plan.stretches where count < max {
      count += try store.entries(
        in: EntryRange(index: plan.index.id, lower: stretch.lower, upper: stretch.upper),
        of: database, limit: max - count
      ).count
    }
    entriesRead += count
    return count
  }
}

/// What the indexes of a type offer to some candidates.
private struct Survey {
  let indexes: [QueryIndex]
  /// Whether indexes are made, and waited for.
  let makesIndexes: Bool
  /// Whether an index of the opposite columns does not serve.
  let spellsOrder: Bool
  var plans: [QueryPlan] = []
  var wanted: [[IndexColumn]] = []
  var building: [Int64] = []

  init(indexes: [QueryIndex], makesIndexes: Bool, spellsOrder: Bool = false) {
    self.indexes = indexes
    self.makesIndexes = makesIndexes
    self.spellsOrder = spellsOrder
  }

  /// Whether there is a way, now or when the indexes are ready.
  var hasPlan: Bool { !plans.isEmpty || !wanted.isEmpty || !building.isEmpty }

  /// Whether some of the ways wait for an index.
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
        // What the order alone asks for has no other index to fall back on.
        isOptional: candidate.kind == .gather || !candidate.equalities.isEmpty)
    {
      wanted.append(candidate.columns)
    }
  }
}
