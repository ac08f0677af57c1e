/// Removes the remaining rows of deleted zones. Each step is one transaction.
public struct PurgeZones: Sendable {
  private let store: any Store
  private let ambient: Ambient

  public init(store: any Store, ambient: Ambient) {
    self.store = store
    self.ambient = ambient
  }

  /// Runs one step.
  ///
  /// - Parameter limit: the maximum number of records.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int) async throws(ServerError) -> Bool {
    let now = ambient.now()
    return try await store.write { (store) throws(ServerError) in
      guard let batch = try store.recordsToPurge(limit: limit) else { return false }
      let schema = try store.schema()
      var rows = RowChanges()
      for record in batch.records {
        var tombstone = record
        tombstone.isDeleted = true
        try rows.note(tombstone, replacing: record, schema: schema)
      }
      try store.touchAssets(releasedBy: rows, now: now)
      try store.purge(batch, rows: rows.removed)
      return true
    }
  }
}
