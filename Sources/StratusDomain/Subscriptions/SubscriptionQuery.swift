import StratusWire

/// The query of a subscription, checked against the schema.
struct SubscriptionQuery: Sendable {
  private let query: CheckedQuery
  private let firesOn: FiresOn
  private let zoneName: String?
  /// The changes that a development schema needs for the query.
  let addition: SchemaAddition

  /// - Parameter user: the user that has the subscription.
  /// - Throws: `BAD_REQUEST` if the query is not legal.
  init(
    _ watched: WatchedQuery, of user: String, schema: Schema, environment: ContainerEnvironment
  ) throws(ServerError) {
    var check = try QueryCheck(
      recordType: watched.query.recordType, schema: schema, environment: environment,
      caller: user)
    var unsorted = watched.query
    // The sort of a subscription's query has no effect.
    unsorted.sorts = []
    query = try check.check(unsorted)
    firesOn = watched.firesOn
    zoneName = watched.zoneID?.zoneName
    addition = check.addition
  }

  /// The key under which the subscription is stored. It contains the most selective value that the
  /// filters of the subscription require, or only the record type if they require no value.
  var watchKey: WatchKey {
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
      return WatchKey(
        key: .recordType(type), subject: .records(type: type, field: nil))
    }
    return WatchKey(
      key: .value(best.value, of: best.field, in: type),
      subject: .records(type: type, field: best.field))
  }

  /// Returns the reason to report a record's change, or nil if the subscription does not apply.
  ///
  /// Choice: an update that moves a record out of the result is also reported, because an app that
  /// shows the result must remove the record.
  ///
  /// - Parameters:
  ///   - before: the state before the change, or nil if the record did not exist.
  ///   - after: the state after the change, or nil if the record was deleted.
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
  /// A value that the field of every matching record equals, or contains if it is a list. It is nil
  /// if there is no such value.
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
  /// The name of the source in keys.
  fileprivate var keyName: String? {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    case .searchableFields: nil
    }
  }

  /// A rank by selectivity: the lower the rank, the fewer records are likely to have the same
  /// value.
  ///
  /// Choice: the rank depends on the kind of value, since values are not counted. A record name
  /// belongs to one record. Texts and references distinguish more records than numbers, which may
  /// be flags.
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
