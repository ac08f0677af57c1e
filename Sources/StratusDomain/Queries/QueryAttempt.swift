import StratusWire

/// The cost of one attempt to read a page.
struct QueryWork: Sendable {
  /// The number of units of work done, each of about 1 µs.
  var steps = 0
  /// Whether the page ended only because it reached ``PageScope/stepsMax``. The request may then
  /// continue to read at the end of the page.
  var isSlice = false
  /// The plan that was used, or nil if nothing had to be read.
  var plan: QueryPlan?
  var entriesRead = 0
  var recordsRead = 0
  /// The index that was read.
  var index: Int64 { plan?.index.id ?? QueryPlan.noIndex }
  /// The capacity that is left in the answer.
  var budget: AnswerBudget
}

/// One attempt to read a page of a query, on one state of the store.
struct QueryAttempt {
  enum Outcome: Sendable {
    case answered(QueryRecords.Response, QueryWork)
    /// The store must first add these index marks and indexes, or finish building indexes. After
    /// that, the handler makes another attempt.
    case needs(SchemaAddition, indexes: [[IndexColumn]], building: [Int64])
  }

  let request: QueryRecords.Request
  let database: OpenDatabase
  let store: any StoreReading
  /// Whether to wait for indexes that only make the query faster.
  let waits: Bool
  /// The capacity that is left in the answer.
  var budget = AnswerBudget()

  /// Choice: anonymous callers add no indexes and no index marks, because these make later writes
  /// slower.
  private var makesIndexes: Bool { database.caller.userRecordName != nil }

  func run() throws(ServerError) -> Outcome {
    let schema = try store.schema()
    var check = try QueryCheck(
      recordType: request.query.recordType, schema: schema, environment: database.environment,
      caller: database.caller.userRecordName)
    var query = try check.check(request.query)
    if request.countsOnly {
      try schema.requireQueryExtensions("countOnly")
      query.sorts = []
    }
    let addition = makesIndexes ? check.addition : SchemaAddition()
    let marker = try marker()
    let area = try area()
    let readable = area?.readable(query.recordType, schema: schema) ?? .all
    try query.restrict(to: readable)
    let planner = QueryPlanner(query)
    guard let area, !planner.matchesNothing else {
      if !addition.isEmpty { return .needs(addition, indexes: [], building: []) }
      return .answered(
        try response(QueryPage(), marker: nil, plan: nil, area: nil, readable: readable),
        QueryWork(budget: budget))
    }
    let indexes = schema.indexes[query.recordType] ?? []
    var choice = PlanChoice(
      query: query, planner: planner, indexes: indexes, store: store, database: area.database,
      zone: area.zone?.id, waits: waits, makesIndexes: makesIndexes, pageSize: pageSize)
    var plan: QueryPlan
    var gathers: [QueryPlan] = []
    if let marker {
      plan = try resumed(marker, planner, indexes)
    } else {
      switch try choice.choose() {
      case .plan(let chosen, let others): (plan, gathers) = (chosen, others)
      case .needs(let wanted, let building):
        return .needs(addition, indexes: wanted, building: building)
      }
    }
    if !addition.isEmpty { return .needs(addition, indexes: [], building: []) }
    var page =
      gathers.isEmpty
      ? try read(plan, query, area, after: marker?.position)
      : try shorter(&plan, gathers, query, area, &choice)
    if page == nil {
      // The plan found too many records to sort in memory. The index with the query's order is read
      // instead.
      switch try choice.chooseOrdered() {
      case .plan(let ordered, _): plan = ordered
      case .needs(let wanted, let building):
        return .needs(addition, indexes: wanted, building: building)
      }
      page = try read(plan, query, area, after: marker?.position)
    }
    page?.entriesRead += choice.entriesRead
    guard let page else { throw .fault("a query cannot be read in its own order") }
    return .answered(
      try response(
        page, marker: try next(page, plan), plan: plan, area: area, readable: readable),
      QueryWork(
        steps: page.steps, isSlice: page.isSlice, plan: plan, entriesRead: page.entriesRead,
        recordsRead: page.recordsRead, budget: page.budget))
  }

  /// The number of records in a page.
  private var pageSize: Int {
    min(request.resultsLimit ?? Limits.recordsPerResponseMax, Limits.recordsPerResponseMax)
  }

  /// Reads the first page from the index with the requested order. If that index takes long to fill
  /// the page, reads a narrow range of another index instead, and sorts its records.
  ///
  /// - Parameter plan: set to the plan that was used.
  private func shorter(
    _ plan: inout QueryPlan, _ gathers: [QueryPlan], _ query: CheckedQuery,
    _ area: QueryArea, _ choice: inout PlanChoice
  ) throws(ServerError) -> QueryPage? {
    let max = choice.recordsReadMax
    let begun = try read(plan, query, area, after: nil, recordsMax: max)
    guard let begun, begun.position != nil, begun.items.count < pageSize,
      begun.recordsRead >= max
    else { return begun }
    if let gather = try choice.instead(of: begun, gathers: gathers) { plan = gather }
    var page = try read(plan, query, area, after: nil)
    page?.entriesRead += begun.entriesRead
    page?.recordsRead += begun.recordsRead
    return page
  }

  private func read(
    _ plan: QueryPlan, _ query: CheckedQuery, _ area: QueryArea, after: EntryPosition?,
    recordsMax: Int = .max
  ) throws(ServerError) -> QueryPage? {
    let scope = PageScope(
      query: query, plan: plan, store: store, database: area.database, zone: area.zone,
      limit: pageSize, countsOnly: request.countsOnly, after: after, recordsMax: recordsMax,
      stepsMax: plan.candidate.kind == .scan ? Limits.querySliceStepsMax : Limits.queryStepsMax,
      selection: request.selection, budget: budget, hierarchies: area.hierarchies)
    switch plan.candidate.kind {
    case .scan:
      var reader = ScanReader(scope)
      return try reader.read()
    case .gather:
      var reader = GatherReader(scope)
      return try reader.read()
    case .walk:
      var reader = GatherReader(scope)
      return try reader.walk()
    case .nearest:
      guard let distance = plan.candidate.order.distance else {
        throw .fault("a plan by distance has none")
      }
      var reader = NearestReader(scope, by: distance)
      return try reader.read()
    }
  }

  /// Returns the database and zone to search, or nil if no record can be found.
  private func area() throws(ServerError) -> QueryArea? {
    let policy = database.policy
    if request.zoneID == nil, request.isZoneWide, database.view.queriesAllZones {
      // Choice: a query over the whole shared database finds nothing. A query reads one database,
      // but shared zones are stored in several. Apps can query each shared zone.
      guard let key = database.view.database, let role = policy.role(in: key) else { return nil }
      return QueryArea(database: key, zone: nil, role: role, policy: policy)
    }
    let access = try database.access(to: try database.zoneAddress(request.zoneID), of: store)
    guard let zone = access.zone else { return nil }
    return QueryArea(
      database: access.address.database, zone: zone, role: access.role, policy: policy,
      access: access)
  }
}

// Pages
extension QueryAttempt {
  private func fingerprint() throws(ServerError) -> UInt64 {
    var print = Fingerprint()
    print.add(request.query.jsonBytes)
    print.add(database.view.identity.utf8)
    print.add(String(try store.epoch(of: database.view)).utf8)
    print.add((request.zoneID?.zoneName ?? "").utf8)
    print.add([request.zoneID == nil, request.isZoneWide, request.countsOnly].map { $0 ? 1 : 0 })
    return print.value
  }

  private func marker() throws(ServerError) -> ContinuationMarker? {
    guard let text = request.continuationMarker else { return nil }
    return try ContinuationMarker(
      text: text, fingerprint: try fingerprint(), encryptedBy: database.signer)
  }

  /// Returns the plan that answered the previous page.
  private func resumed(
    _ marker: ContinuationMarker, _ planner: QueryPlanner, _ indexes: [QueryIndex]
  ) throws(ServerError) -> QueryPlan {
    if marker.index == QueryPlan.noIndex, marker.ordinal == planner.candidates.count - 1 {
      return QueryPlan(walk: planner.candidates[marker.ordinal], ordinal: marker.ordinal)
    }
    guard planner.candidates.indices.contains(marker.ordinal),
      let index = indexes.first(where: { $0.id == marker.index }), index.isReady,
      let plan = QueryPlan(
        planner.candidates[marker.ordinal], ordinal: marker.ordinal, index: index)
    else { throw .badRequest(Reason.markerInvalid) }
    return plan
  }

  private func next(_ page: QueryPage, _ plan: QueryPlan) throws(ServerError) -> String? {
    guard let position = page.position else { return nil }
    return ContinuationMarker(
      fingerprint: try fingerprint(), ordinal: plan.ordinal, index: plan.index.id,
      position: position
    ).text(encryptedBy: database.signer, sortCount: request.query.sorts.count)
  }

  private func response(
    _ page: QueryPage, marker: String?, plan: QueryPlan?, area: QueryArea?,
    readable: ReadableRecords
  ) throws(ServerError) -> QueryRecords.Response {
    var items: [RecordItem] = []
    items.reserveCapacity(page.items.count)
    var presenter: (zone: Int64, presenter: RecordPresenter)?
    for item in page.items {
      if presenter?.zone != item.zone.id {
        presenter = (
          item.zone.id, RecordPresenter(item.zone.address, in: database, files: store)
        )
      }
      guard let presenter = presenter?.presenter else { continue }
      items.append(try presenter.item(item.record, selection: request.selection))
    }
    // The plan and the numbers of an explanation depend on all records of the type. Only callers
    // that may read all of them get the explanation.
    let explanation =
      request.explains && readable == .all
      ? QueryExplanation(
        plan: plan?.word ?? "nothing", index: plan?.columnsText ?? "",
        ranges: Int64(plan?.stretches.count ?? 0),
        remainingFilters: plan?.candidate.remaining.map(\.text) ?? [],
        entriesRead: Int64(page.entriesRead), recordsRead: Int64(page.recordsRead)) : nil
    return QueryRecords.Response(
      records: items, continuationMarker: marker, syncToken: try syncToken(area),
      count: request.countsOnly ? page.count : nil, explanation: explanation)
  }

  /// Returns the newest change token of the zone that the query names, if the caller requests it.
  private func syncToken(_ area: QueryArea?) throws(ServerError) -> String? {
    guard database.caller.wantsSyncToken, let access = area?.access, let zone = access.zone,
      zone.database.keepsHistories, !zone.isDefault
    else { return nil }
    return try access.newestToken(of: zone, in: store).text
  }
}
