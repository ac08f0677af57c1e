/// Lets one process at a time do a piece of background work in a store, whichever processes serve
/// the store.
///
/// A step must be harmless if another process takes it at the same time: a lock that is lost (its
/// holder was paused for long) is not noticed. Effects that must not happen twice belong in the
/// step's transaction.
public protocol WorkLocks: Sendable {
  /// Takes one step of work, unless another process is at the same work in the store.
  ///
  /// - Returns: what the step returns; nil: another process is at it.
  /// - Throws: what the step throws; what the locks throw if they cannot be reached.
  func withLock<Value: Sendable>(
    on work: BackgroundWork, at address: StoreAddress,
    _ step: @Sendable () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value?

  /// Takes the lease on work that lasts, such as connections to another service, or renews it. A
  /// lease that is not renewed within ``BackgroundWork/leaseSeconds`` ends.
  ///
  /// - Returns: whether this process has it.
  func lease(
    _ work: BackgroundWork, at address: StoreAddress
  ) async throws(ServerError) -> Bool
}

/// Work that a server does in its stores by itself.
public enum BackgroundWork: String, Sendable {
  /// The records of deleted zones are removed.
  case zonePurge = "the removal of deleted zones"
  /// Deletions go on that take along more records than a transaction can.
  case cascades = "a cascade"
  /// Changes become notifications.
  case matching = "the matching of changes"
  /// Old deletions are forgotten.
  case forgetting = "the forgetting of deletions"
  /// Files that no record holds are removed.
  case assetSweep = "the removal of files"
  /// Indexes that no query reads are dropped.
  case unusedIndexes = "the removal of unused indexes"
  /// Notifications go to Apple's service.
  case push = "the sending of notifications"

  /// A process that ends without giving its leases up keeps others waiting for so long.
  public static let leaseSeconds: Int64 = 10
}

/// One process serves the stores, so every lock is free, and every lease is its own.
///
/// SQLite needs no other form: a data folder has one process, by the lock on its file `lock`.
public struct LocalWorkLocks: WorkLocks {
  public init() {}

  public func withLock<Value: Sendable>(
    on work: BackgroundWork, at address: StoreAddress,
    _ step: @Sendable () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value? {
    try await step()
  }

  public func lease(
    _ work: BackgroundWork, at address: StoreAddress
  ) async throws(ServerError) -> Bool {
    true
  }
}
