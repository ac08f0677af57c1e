import Logging
import StratusDomain

extension Composition {
  /// Deletions a transaction: short enough that writers hardly wait behind it.
  private static let stepDeletions = 500

  /// Forgets old deletions, for as long as the server runs.
  ///
  /// - Parameter days: see ``Settings/historyDays``.
  func deletionSweep(days: Int64, logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .forgetting, pause: .seconds(600), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await ForgetDeletions(store: store, ambient: ambient, days: days).step(
        limit: Self.stepDeletions)
    }
  }

  /// Forgets old deletions in the stores in use, for tests: a server that runs does so by itself.
  ///
  /// - Parameter days: see ``Settings/historyDays``.
  /// - Throws: what the store throws.
  public func forgetDeletions(olderThanDays days: Int64) async throws {
    for store in stores.openStores {
      let forgetting = ForgetDeletions(store: store, ambient: ambient, days: days)
      while try await forgetting.step(limit: Self.stepDeletions) {}
    }
  }
}
