import Logging
import StratusDomain
public import StratusWire

extension Composition {
  /// The maximum number of recorded deletions that one transaction removes from a history. Such a
  /// transaction hardly delays other writers.
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

  /// Creates the service that removes the earlier versions of records that are too old, or that
  /// exceed the limits of their store.
  func versionSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .versions, pause: .seconds(600), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await TrimVersions(store: store, ambient: ambient).step()
    }
  }

  /// In the open stores, removes the earlier versions of records that are too old or exceed these
  /// limits, for tests. A running server does this itself.
  ///
  /// - Parameters:
  ///   - countMax: the maximum number of versions in a store.
  ///   - bytesMax: the maximum number of bytes of versions in a store.
  public func trimVersions(
    countMax: Int64 = Limits.recordVersionsMax, bytesMax: Int64 = Limits.recordVersionsBytesMax
  ) async throws {
    for store in stores.openStores {
      let trimming = TrimVersions(
        store: store, ambient: ambient, countMax: countMax, bytesMax: bytesMax)
      while try await trimming.step(limit: 7) {}
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
