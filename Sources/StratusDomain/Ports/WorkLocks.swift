/// Makes sure that only one process at a time does one kind of background work in a store.
///
/// There is one exception: if the holder of a lock pauses for long, it loses the lock without
/// noticing. A step must therefore be harmless if two processes run it at the same time. Effects
/// that must not happen twice belong in the step's transaction.
public protocol WorkLocks: Sendable {
  /// Runs one step of work, unless another process does the same work in the store.
  ///
  /// - Returns: the result of the step, or nil if another process does the work.
  /// - Throws: the errors of the step, and errors of the lock service if it cannot be reached.
  func withLock<Value: Sendable>(
    on work: BackgroundWork, at address: StoreAddress,
    _ step: @Sendable () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value?

  /// Takes or renews the lease on long-lasting work, such as connections to another service. A
  /// lease that is not renewed within ``BackgroundWork/leaseSeconds`` ends.
  ///
  /// - Returns: whether this process has the lease.
  func lease(
    _ work: BackgroundWork, at address: StoreAddress
  ) async throws(ServerError) -> Bool
}

/// Background work that a server does in its stores.
public enum BackgroundWork: String, Sendable {
  /// Removes the records of deleted zones.
  case zonePurge = "the removal of deleted zones"
  /// Continues cascades that delete more records than one transaction can delete, and moves of
  /// records to another shared hierarchy (``ContinueHierarchies``).
  case cascades = "a cascade"
  /// Matches changes with subscriptions and queues notifications.
  case matching = "the matching of changes"
  /// Removes old deletions from histories.
  case forgetting = "the forgetting of deletions"
  /// Removes the earlier versions of records that exceed their bounds.
  case versions = "the removal of earlier versions"
  /// Removes files that no record holds.
  case assetSweep = "the removal of files"
  /// Drops indexes that no query reads.
  case unusedIndexes = "the removal of unused indexes"
  /// Copies renamed fields, and removes dropped fields and record types.
  case retirements = "the removal of fields"
  /// Gives the disk space of deleted data back to the operating system.
  case space = "the return of disk space"
  /// Applies the removals after the backup to restored data.
  case restoredRemovals = "the removals after a restored backup"
  /// Sends notifications to APNs.
  case push = "the sending of notifications"
  /// Makes the backups of an installation that several servers share.
  case backups = "the backups"

  /// The lifetime of a lease in seconds. If a process ends without releasing its leases, other
  /// processes wait this long.
  public static let leaseSeconds: Int64 = 10
}

/// The locks of a single process: every lock is free, and the process holds every lease.
///
/// SQLite needs no other implementation. The lock on the file `lock` limits a data folder to one
/// process.
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
