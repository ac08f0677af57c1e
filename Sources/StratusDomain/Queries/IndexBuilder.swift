import StratusWire

/// Makes the indexes that queries need, and fills them in steps.
struct IndexBuilder: Sendable {
  let store: any Store
  let recordType: String
  /// Records looked at in one transaction.
  var stepRows = Limits.indexBuildStepRows

  /// Adds marks and indexes that are not there yet.
  func add(
    _ addition: SchemaAddition, indexes: [[IndexColumn]]
  ) async throws(ServerError) {
    if addition.isEmpty, indexes.isEmpty { return }
    try await store.write { [recordType] (store) throws(ServerError) in
      // Another request may have been faster.
      let schema = try store.schema()
      if !addition.isEmpty { try store.add(addition) }
      var known = (schema.indexes[recordType] ?? []).map(\.columns)
      for columns in indexes
      where !known.contains(columns) && IndexBuilder.hasRoom(for: columns, among: known) {
        known.append(columns)
        _ = try store.addIndex(recordType: recordType, columns: columns)
      }
    }
  }

  /// Whether one more index is kept for the type.
  ///
  /// `Choice:` those of one column always are, since a type has only so many fields.
  ///
  /// - Parameter isOptional: whether the query can be answered without; the last places are kept
  ///   from such, since no index is ever dropped.
  static func hasRoom(
    for columns: [IndexColumn], among known: [[IndexColumn]], isOptional: Bool = false
  ) -> Bool {
    if columns.count == 1 { return true }
    let max = Limits.indexesPerRecordTypeMax - (isOptional ? keptPlaces : 0)
    return known.count { $0.count > 1 } < max
  }

  private static let keptPlaces = 8

  /// Fills indexes, going on where an earlier request stopped.
  ///
  /// - Parameter rowsMax: records looked at, in all.
  /// - Returns: whether they are ready.
  func build(_ indexes: [Int64], rowsMax: Int) async throws(ServerError) -> Bool {
    var steps = max(rowsMax / stepRows, 1)
    for index in indexes {
      while try await !step(index) {
        steps -= 1
        if steps <= 0 { return false }
      }
    }
    return true
  }

  /// One transaction's worth. Steps that are done twice, by two requests, change nothing.
  ///
  /// - Returns: whether the index is ready.
  private func step(_ id: Int64) async throws(ServerError) -> Bool {
    try await store.write { [recordType, stepRows] (store) throws(ServerError) in
      let schema = try store.schema()
      guard let index = schema.indexes[recordType]?.first(where: { $0.id == id }),
        !index.isReady
      else { return true }
      let step = try store.recordsToIndex(
        ofType: recordType, after: index.buildPlace, limit: stepRows)
      let needed = [index].fieldsNeeded(in: schema.recordTypes[recordType])
      var entries: [Home: [IndexEntry]] = [:]
      for item in step.items {
        let values = try item.record.fields.storedValues(of: needed)
        entries[Home(database: item.database, zone: item.zone), default: []] += index.entries(
          of: item.record, values: values)
      }
      for (home, entries) in entries {
        try store.add(entries, of: home.zone, in: home.database)
      }
      try store.setBuildPlace(step.next, of: id)
      return step.next == nil
    }
  }

  private struct Home: Hashable {
    var database: Int64
    var zone: Int64
  }
}
