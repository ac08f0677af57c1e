import StratusWire

/// The query of a subscription, held against the schema.
struct SubscriptionQuery: Sendable {
  private let query: CheckedQuery
  private let firesOn: FiresOn
  private let zoneName: String?
  /// What a development schema must learn for it.
  let addition: SchemaAddition

  /// - Parameter user: whose subscription it is.
  /// - Throws: `BAD_REQUEST` if it asks what a query must not ask.
  init(
    _ watched: WatchedQuery, of user: String, schema: Schema, environment: ContainerEnvironment
  ) throws(ServerError) {
    var check = try QueryCheck(
      recordType: watched.query.recordType, schema: schema, environment: environment,
      caller: user)
    var unsorted = watched.query
    // Source: web-services §3.11: the sort is ignored.
    unsorted.sorts = []
    query = try check.check(unsorted)
    firesOn = watched.firesOn
    zoneName = watched.zoneID?.zoneName
    addition = check.addition
  }

  /// Where it is filed: under the most selective of the values it asks for.
  var place: SubscriptionPlace {
    let type = query.recordType
    var best: (rank: Int, field: String, value: Scalar)?
    for case .condition(let condition) in query.filters {
      guard let value = condition.requiredValue, let field = condition.source.keyName else {
        continue
      }
      let rank = condition.source.rank(of: value)
      if let best, best.rank < rank || (best.rank == rank && best.field <= field) { continue }
      best = (rank, field, value)
    }
    guard let best else {
      return SubscriptionPlace(
        key: .recordType(type), subject: .records(type: type, field: nil))
    }
    return SubscriptionPlace(
      key: .value(best.value, of: best.field, in: type),
      subject: .records(type: type, field: best.field))
  }

  /// What it has to tell of a record's change; nil: nothing.
  ///
  /// Choice: an update that makes a record leave the result is told of, because who shows the
  /// result must learn it.
  ///
  /// - Parameters:
  ///   - before: nil: there was none.
  ///   - after: nil: there is none any more.
  func reason(
    before: RecordValues?, after: RecordValues?, inZone name: String
  ) -> RecordEvent.Reason? {
    if let zoneName, ExactName(zoneName) != ExactName(name) { return nil }
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, let after?): return firesOn.contains(.create) && holds(after) ? .created : nil
    case (let before?, nil): return firesOn.contains(.delete) && holds(before) ? .deleted : nil
    case (let before?, let after?):
      return firesOn.contains(.update) && (holds(after) || holds(before)) ? .updated : nil
    }
  }

  private func holds(_ values: RecordValues) -> Bool {
    values.record.type == query.recordType
      && query.filters.allSatisfy { $0.holds(for: values, searchable: query.searchable) }
  }
}

extension QueryCondition {
  /// A value that every record which passes has, or has as a member; nil: there is no such.
  fileprivate var requiredValue: Scalar? {
    if isNegated { return nil }
    switch test {
    case .oneOf(let values), .anyMember(let values): return values.count == 1 ? values[0] : nil
    case .allMembers(let values): return values.first
    case .never, .present, .within, .prefix, .suffix, .infix, .memberPrefix, .anyWord,
      .allTokens, .near:
      return nil
    }
  }
}

extension IndexColumn.Source {
  /// How it is called in keys.
  fileprivate var keyName: String? {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    case .searchableFields: nil
    }
  }

  /// The lower, the fewer records are likely to have a value.
  ///
  /// Choice: by kind, since nobody counts values: a record's own name is its alone; texts and
  /// references tell more apart than numbers, which may be no more than yes and no.
  fileprivate func rank(of value: Scalar) -> Int {
    switch self {
    case .system(.recordName): return 0
    case .system(.parent): return 1
    case .system(.creator), .system(.modifier): return 3
    case .system, .field, .searchableFields: break
    }
    switch value {
    case .text: return 2
    case .real: return 4
    case .whole: return 5
    }
  }
}
