import StratusWire

/// Creates the indexes that queries need, and fills them in steps.
struct IndexBuilder: Sendable {
  let store: any Store
  let recordType: String
  let queue: IndexBuildQueue
  let key: IndexBuildQueue.Key
  /// The number of records read in one step.
  var stepRows = Limits.indexBuildStepRows

  /// Adds the index marks and indexes that are missing.
  func add(
    _ addition: SchemaAddition, indexes: [[IndexColumn]]
  ) async throws(ServerError) {
    if addition.isEmpty, indexes.isEmpty { return }
    try await store.write { [recordType] (store) throws(ServerError) in
      // Another request may have added the marks and indexes already.
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

  /// Whether the type has capacity for one more index.
  ///
  /// `Choice:` indexes of one column are always allowed, because the number of fields in a type is
  /// limited.
  ///
  /// - Parameter isOptional: whether the query can be answered without the index. Optional indexes
  ///   cannot use the last few slots, because an index is dropped only when queries stop using it.
  static func hasRoom(
    for columns: [IndexColumn], among known: [[IndexColumn]], isOptional: Bool = false
  ) -> Bool {
    if columns.count == 1 { return true }
    let max = Limits.indexesPerRecordTypeMax - (isOptional ? reservedCount : 0)
    return known.count { $0.count > 1 } < max
  }

  private static let reservedCount = 8

  /// Fills indexes, beginning where an earlier request stopped. Other indexes of the type whose
  /// builds are at the same position are filled together with them.
  ///
  /// - Parameter rowsMax: the maximum number of records to read. It counts the records read by this
  ///   request and by the requests that it waited for.
  /// - Returns: whether the indexes are ready.
  func build(_ indexes: [Int64], rowsMax: Int) async throws(ServerError) -> Bool {
    let begin = queue.join(key)
    defer { queue.leave(key) }
    // The first chunk is small, so that a build in a small store ends soon. In a large store,
    // requests that arrive during the first chunk join early, and all their indexes are built
    // together.
    var rows = stepRows
    while true {
      let (rowsDone, builds) = await queue.take(key)
      let rowsLeft = rowsMax - (rowsDone - begin)
      if rowsLeft <= 0 {
        queue.giveBack(key, rows: 0)
        return try await isReady(indexes)
      }
      var looked = 0
      defer { queue.giveBack(key, rows: looked) }
      let chunk = try await IndexChunk.read(
        for: indexes, by: self, rowsMax: min(rows, rowsLeft),
        sizeBytesMax: Limits.indexBuildSizeBytesMax / max(builds, 1))
      guard let chunk else {
        try await requireIndexes(indexes)
        return true
      }
      looked = chunk.rowsLooked
      // NB: a build has many short transactions. With a pause after each, it would take minutes.
      try await WriteOrigin.performOwnWork { () async throws(ServerError) in
        try await chunk.write(to: store)
      }
      rows = rowsMax
    }
  }

  /// - Throws: `BAD_REQUEST` if the operator has cancelled a build. Without this error, the query
  ///   would start the build again at once.
  private func requireIndexes(_ indexes: [Int64]) async throws(ServerError) {
    let known = try await store.read { [recordType] (store) throws(ServerError) in
      Set(try store.schema().indexes[recordType]?.map(\.id) ?? [])
    }
    if !known.isSuperset(of: indexes) { throw .badRequest(Reason.indexBuildCancelled) }
  }

  private func isReady(_ indexes: [Int64]) async throws(ServerError) -> Bool {
    try await store.read { [recordType] (store) throws(ServerError) in
      try !store.indexBuilds(ofType: recordType).contains { indexes.contains($0.index) }
    }
  }
}
