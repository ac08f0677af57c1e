/// Removes old deletions from histories. Each step is one transaction.
public struct ExpireDeletions: Sendable {
  private let store: any Store
  private let ambient: Ambient
  private let days: Int64

  /// - Parameter days: the number of days that deletions are kept.
  public init(store: any Store, ambient: Ambient, days: Int64) {
    self.store = store
    self.ambient = ambient
    self.days = days
  }

  /// Runs one step.
  ///
  /// - Parameter limit: the maximum number of rows of each kind that the step removes (see
  ///   ``ChangeWriting/expireDeletions(before:limit:)``).
  /// - Returns: whether there may be more to do.
  public func step(limit: Int) async throws(ServerError) -> Bool {
    let time = ambient.now() - days * 86_400_000
    return try await store.write { (store) throws(ServerError) in
      try store.expireDeletions(before: time, limit: limit)
    }
  }
}
