import StratusWire

/// Decides what a list of indexes advises. The decision reads nothing.
struct IndexAdvice {
  let costly: [(form: QueryForm, cost: CostlyQueries.Cost)]
  let indexes: [ListIndexes.Item]
  /// The present day, in days since 1970 UTC.
  let day: Int64

  /// The number of days without a use from which an index counts as unused. Choice: half the time
  /// after which the server drops it, so that a weekly query never causes the advice.
  static let unusedDaysMin = Limits.indexUnusedDaysMax / 2

  var all: [ListIndexes.Advice] { missing + unused }

  private var missing: [ListIndexes.Advice] {
    costly.map { form, cost in
      let isUnindexed = cost.unindexedCount > 0
      let isFull =
        indexes.count { $0.recordType == form.recordType && $0.columns.count > 1 }
        >= Limits.indexesPerRecordTypeMax
      return ListIndexes.Advice(
        kind: isUnindexed ? .noIndex : .costlyQuery, recordType: form.recordType,
        filters: form.filters, sorts: form.sorts, queries: cost.count,
        recordsRead: cost.recordsRead, recordsFound: cost.recordsFound,
        sentence: isUnindexed
          ? "No index served these queries. A query of a signed-in user makes the index; a query "
            + "without a sign-in never does. Run the query once with a sign-in."
          : isFull
            ? "These queries read far more records than they find, and the record type has the "
              + "maximum number of indexes. Drop an index that is rarely used."
            : "These queries read far more records than they find. An index serves EQUALS and IN, "
              + "and then one range or the sort order; the other filters are checked on each "
              + "record. Use fewer of them, or a field that combines their values.")
    }
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
