import StratusWire

/// Decides which advice a list of indexes contains. The decision uses only the properties.
struct IndexAdvice {
  let costly: [(form: QueryForm, cost: CostlyQueries.Cost)]
  let indexes: [ListIndexes.Item]
  /// The current day, in days since 1970 UTC.
  let day: Int64

  /// An index counts as unused after this number of days without a use. Choice: half the time after
  /// which the server drops it. An index that only a weekly query reads counts as unused for less
  /// than a day before each query.
  static let unusedDaysMin = Limits.indexUnusedDaysMax / 2

  var all: [ListIndexes.Advice] { missing + unused }

  private var missing: [ListIndexes.Advice] {
    costly.map { item in
      ListIndexes.Advice(
        kind: item.cost.unindexedCount > 0 ? .noIndex : .costlyQuery,
        recordType: item.form.recordType, filters: item.form.filters, sorts: item.form.sorts,
        queries: item.cost.count, recordsRead: item.cost.recordsRead,
        recordsFound: item.cost.recordsFound, sentence: sentence(item.form, item.cost))
    }
  }

  private func sentence(_ form: QueryForm, _ cost: CostlyQueries.Cost) -> String {
    if cost.unindexedCount > 0 {
      return "No index served these queries. A query of a signed-in user makes the index; a query "
        + "without a sign-in never does. Run the query once with a sign-in."
    }
    let own = indexes.filter { $0.recordType == form.recordType && $0.columns.count > 1 }
    if own.count >= Limits.indexesPerRecordTypeMax {
      return "These queries read far more records than they find, and the record type has the "
        + "maximum number of indexes. Drop an index that is rarely used."
    }
    return "These queries read far more records than they find. An index serves EQUALS and IN, and "
      + "then one range or the sort order; the other filters are checked on each record. Use fewer "
      + "of them, or a field that combines their values."
  }

  private var unused: [ListIndexes.Advice] {
    indexes.compactMap { index in
      guard index.state == .ready, index.uses == 0, let last = index.lastUsedDay,
        day - last >= Self.unusedDaysMin
      else { return nil }
      return ListIndexes.Advice(
        kind: .unusedIndex, recordType: index.recordType, index: index.id,
        sentence: "No query has read the index for \(day - last) days, and each save of a record "
          + "writes to it. The server drops it after \(Limits.indexUnusedDaysMax) days.")
    }
  }
}
