import StratusWire
import Synchronization

/// The form of a query, without values.
struct QueryForm: Sendable, Hashable {
  var recordType: String
  /// The comparator and the field of each filter, for example `EQUALS title`. A filter in `anyOf`
  /// begins with `one of: `.
  var filters: [String]
  /// The fields of the sort order, for example `title` or `title descending`.
  var sorts: [String]

  init(_ query: Query) {
    recordType = query.recordType
    filters = Self.texts(of: query.filters)
    sorts = query.sorts.map { $0.key.name + ($0.isAscending ? "" : " descending") }
  }

  private static func texts(of filters: [QueryFilter]) -> [String] {
    filters.flatMap { (filter) -> [String] in
      switch filter {
      case .field(let filter): [text(of: filter)]
      case .anyOf(let groups): groups.flatMap { texts(of: $0).map { "one of: " + $0 } }
      }
    }
  }

  private static func text(of filter: FieldFilter) -> String {
    filter.key.map { "\(filter.comparator.rawValue) \($0.name)" } ?? filter.comparator.rawValue
  }
}

/// Remembers the forms of queries that no index served, or that read many more records than they
/// found. The advice about indexes uses these forms. They contain names of fields but no values.
final class CostlyQueries: Sendable {
  /// The number of queries of one form, and of the records that they read, since the form is kept.
  struct Cost: Sendable, Hashable {
    var count: Int64 = 0
    var recordsRead: Int64 = 0
    var recordsFound: Int64 = 0
    /// The number of queries that no index served.
    var unindexedCount: Int64 = 0
  }

  /// The maximum number of forms that are kept for one store. If there are more, the form whose
  /// queries have read the fewest records is removed. This may be the newest form. The cost of a
  /// removed form begins again at zero with its next costly query.
  static let formsMax = 64
  /// A query that an index served counts as costly only if it reads at least this number of
  /// records. Choice: reading them takes about 1 ms.
  static let recordsMin = 200
  /// Such a query must also read at least this number of records for each record found.
  static let ratioMin = 10

  private let costs = Mutex<[StoreAddress: [QueryForm: Cost]]>([:])

  /// Notes a query, if it is costly.
  ///
  /// - Parameters:
  ///   - isUnindexed: whether no index served the query.
  ///   - found: the number of records in the answer, or the count if the request asks only for a
  ///     count.
  func note(
    _ query: Query, isUnindexed: Bool, recordsRead: Int, found: Int, at address: StoreAddress
  ) {
    let isWasteful = recordsRead >= Self.recordsMin && recordsRead / Self.ratioMin >= found
    guard isUnindexed || isWasteful else { return }
    let form = QueryForm(query)
    costs.withLock { costs in
      var cost = costs[address]?[form] ?? Cost()
      cost.count += 1
      cost.recordsRead += Int64(recordsRead)
      cost.recordsFound += Int64(found)
      if isUnindexed { cost.unindexedCount += 1 }
      costs[address, default: [:]][form] = cost
      guard costs[address, default: [:]].count > Self.formsMax else { return }
      let cheapest = costs[address]?.min { $0.value.recordsRead < $1.value.recordsRead }
      if let cheapest { costs[address]?[cheapest.key] = nil }
    }
  }

  /// Returns the costly forms of a store. The form whose queries have read the most records comes
  /// first.
  func list(at address: StoreAddress) -> [(form: QueryForm, cost: Cost)] {
    costs.withLock { $0[address] ?? [:] }.sorted { $0.value.recordsRead > $1.value.recordsRead }
      .map { ($0.key, $0.value) }
  }
}
