import StratusWire

/// Chooses among the ways to answer a query, by the indexes there are and by how much each would
/// read.
struct PlanChoice {
  enum Outcome {
    case plan(QueryPlan)
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

  /// Entries that a probe counts; beyond them one way is as bad as another.
  private static let probeMax = 2_000

  func choose() throws(ServerError) -> Outcome {
    let mains = 0..<planner.mainCount
    let gathers = planner.mainCount..<planner.mainCount + planner.gatherCount
    var survey = Survey(indexes: indexes)
    for ordinal in mains { survey.look(at: planner.candidates[ordinal], ordinal) }
    if !survey.hasPlan {
      for ordinal in gathers.upperBound..<planner.candidates.count {
        survey.look(at: planner.candidates[ordinal], ordinal)
      }
    }
    guard survey.hasPlan else { throw noIndex }
    for ordinal in gathers { survey.look(at: planner.candidates[ordinal], ordinal) }
    let isServed = survey.plans.contains { !gathers.contains($0.ordinal) }
    if survey.isIncomplete, waits || !isServed {
      return .needs(survey.wanted, building: survey.building)
    }
    var small: (plan: QueryPlan, count: Int)?
    for plan in survey.plans where gathers.contains(plan.ordinal) {
      let count = try probe(plan, max: (small?.count ?? Limits.queryGatherMax) + 1)
      if count <= Limits.queryGatherMax, count < small?.count ?? .max { small = (plan, count) }
    }
    if let small { return .plan(small.plan) }
    return .plan(try best(survey.plans.filter { !gathers.contains($0.ordinal) }))
  }

  /// As ``choose()``, but only what can go on where a gathered page ended.
  ///
  /// NB: the place is spelled by the columns of the order; an index of the opposite ones spells it
  /// otherwise.
  func chooseOrdered() throws(ServerError) -> Outcome {
    var survey = Survey(indexes: indexes, spellsOrder: true)
    for ordinal in 0..<planner.mainCount {
      survey.look(at: planner.candidates[ordinal], ordinal)
    }
    if !survey.hasPlan {
      for ordinal in planner.mainCount + planner.gatherCount..<planner.candidates.count {
        survey.look(at: planner.candidates[ordinal], ordinal)
      }
    }
    guard survey.hasPlan else { throw noIndex }
    if survey.isIncomplete, waits || survey.plans.isEmpty {
      return .needs(survey.wanted, building: survey.building)
    }
    return .plan(try best(survey.plans))
  }

  private var noIndex: ServerError {
    .badRequest(
      "no index can serve this order: type '\(query.recordType)' has "
        + "\(Limits.indexesPerRecordTypeMax) indexes of several fields, the most allowed")
  }

  private func best(_ plans: [QueryPlan]) throws(ServerError) -> QueryPlan {
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
  private func probe(_ plan: QueryPlan, max: Int) throws(ServerError) -> Int {
    var count = 0
    for stretch in plan.stretches where count < max {
      count += try store.entries(
        in: EntryRange(index: plan.index.id, lower: stretch.lower, upper: stretch.upper),
        of: database, limit: max - count
      ).count
    }
    return count
  }
}

/// What the indexes of a type offer to some candidates.
private struct Survey {
  let indexes: [QueryIndex]
  /// Whether an index of the opposite columns does not serve.
  let spellsOrder: Bool
  var plans: [QueryPlan] = []
  var wanted: [[IndexColumn]] = []
  var building: [Int64] = []

  init(indexes: [QueryIndex], spellsOrder: Bool = false) {
    self.indexes = indexes
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
