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
    guard survey.hasPlan else {
      throw .badRequest(
        "no index can serve this order: type '\(query.recordType)' has "
          + "\(Limits.indexesPerRecordTypeMax) indexes of several fields, the most allowed")
    }
    for ordinal in gathers { survey.look(at: planner.candidates[ordinal], ordinal) }
    if !survey.wanted.isEmpty || !survey.building.isEmpty {
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

  /// As ``choose()``, but only what comes in the order asked for.
  func chooseOrdered() throws(ServerError) -> Outcome {
    var survey = Survey(indexes: indexes)
    for ordinal in 0..<planner.mainCount {
      survey.look(at: planner.candidates[ordinal], ordinal)
    }
    if !survey.wanted.isEmpty || !survey.building.isEmpty {
      return .needs(survey.wanted, building: survey.building)
    }
    return .plan(try best(survey.plans))
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
  var plans: [QueryPlan] = []
  var wanted: [[IndexColumn]] = []
  var building: [Int64] = []

  init(indexes: [QueryIndex]) { self.indexes = indexes }

  /// Whether there is a way, now or when the indexes are ready.
  var hasPlan: Bool { !plans.isEmpty || !wanted.isEmpty || !building.isEmpty }

  mutating func look(at candidate: QueryCandidate, _ ordinal: Int) {
    let serving = indexes.filter { candidate.isReversed(in: $0) != nil }
    if let index = serving.first(where: \.isReady) {
      if let plan = QueryPlan(candidate, ordinal: ordinal, index: index) { plans.append(plan) }
    } else if let index = serving.first {
      if !building.contains(index.id) { building.append(index.id) }
    } else if !wanted.contains(candidate.columns),
      IndexBuilder.hasRoom(for: candidate.columns, among: indexes.map(\.columns) + wanted)
    {
      wanted.append(candidate.columns)
    }
  }
}
