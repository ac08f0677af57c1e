import Logging
import StratusDomain

extension Composition {
  /// The number of deletions in one transaction, small enough that writers hardly wait.
  private static let stepDeletions = 500

  /// Removes old deletions from the histories while the server runs.
  ///
  /// - Parameter days: see ``Settings/historyDays``.
  func deletionSweep(days: Int64, logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .forgetting, pause: .seconds(600), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await ExpireDeletions(store: store, ambient: ambient, days: days).step(
        limit: Self.stepDeletions)
    }
  }

  /// Removes old deletions from the open stores, for tests. A running server does this itself.
  ///
  /// - Parameter days: see ``Settings/historyDays``.
  /// - Throws: the store's error.
  public func expireDeletions(olderThanDays days: Int64) async throws {
    for store in stores.openStores {
      let forgetting = ExpireDeletions(store: store, ambient: ambient, days: days)
      while try await forgetting.step(limit: Self.stepDeletions) {}
    }
  }
}
