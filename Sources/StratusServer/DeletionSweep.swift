import Logging
import StratusDomain

extension Composition {
  /// The maximum number of deletions that one transaction removes. Such a transaction hardly delays
  /// other writers.
  private static let stepDeletions = 500

  /// Creates the service that removes old deletions from the histories.
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
