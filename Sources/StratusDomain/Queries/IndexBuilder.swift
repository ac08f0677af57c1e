import StratusWire

/// Makes the indexes that queries need, and fills them in steps.
struct IndexBuilder: Sendable {
  let store: any Store
  let recordType: String
  let turns: IndexBuildTurns
  let key: IndexBuildTurns.Key
  /// Records looked at in one read.
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

  /// Fills indexes, going on where an earlier request stopped, and others of the type with them.
  ///
  /// - Parameter rowsMax: records looked at, by this request and those it waited for.
  /// - Returns: whether they are ready.
  func build(_ indexes: [Int64], rowsMax: Int) async throws(ServerError) -> Bool {
    let begin = turns.join(key)
    defer { turns.leave(key) }
    // What a small store has is soon there; of a large one, those who come in the meantime have
    // little to make up for, and then all are built as one.
    var rows = stepRows
    while true {
      let (rowsDone, builds) = await turns.take(key)
      let rowsLeft = rowsMax - (rowsDone - begin)
      if rowsLeft <= 0 {
        turns.giveBack(key, rows: 0)
        return try await isReady(indexes)
      }
      var looked = 0
      defer { turns.giveBack(key, rows: looked) }
      let chunk = try await IndexChunk.read(
        for: indexes, by: self, rowsMax: min(rows, rowsLeft),
        sizeBytesMax: Limits.indexBuildSizeBytesMax / max(builds, 1))
      guard let chunk else { return true }
      looked = chunk.rowsLooked
      try await chunk.write(to: store)
      rows = rowsMax
    }
  }

  private func isReady(_ indexes: [Int64]) async throws(ServerError) -> Bool {
    try await store.read { [recordType] (store) throws(ServerError) in
      try !store.indexBuilds(ofType: recordType).contains { indexes.contains($0.index) }
    }
  }
}
