/// The times of the backups that several servers make in turn. All servers use the same clock.
public struct BackupTimes: Sendable, Hashable {
  /// The present time, in milliseconds since 1970 UTC.
  public var now: Int64
  /// The time at which the latest complete backup began, in milliseconds since 1970 UTC, or nil if
  /// there is none.
  public var begunAt: Int64?
  /// The time of the latest failure, in milliseconds since 1970 UTC. nil if there was none, or if a
  /// later backup succeeded.
  public var failedAt: Int64?

  public init(now: Int64, begunAt: Int64? = nil, failedAt: Int64? = nil) {
    self.now = now
    self.begunAt = begunAt
    self.failedAt = failedAt
  }
}

/// Lets the servers of one installation make its backups in turn.
///
/// A server that makes a backup has a lease with a number. If the server pauses and loses the
/// lease, the number is no longer valid, even if the server gets the lease again. So the server
/// finds out that another one has made a backup in the meantime.
public protocol BackupTurns: Sendable {
  /// Returns the times of the latest backup and of the latest failure of all servers.
  func times() async throws(ServerError) -> BackupTimes

  /// Takes or renews the lease. A lease that is not renewed within
  /// ``BackgroundWork/leaseSeconds`` ends.
  ///
  /// - Returns: the number of the lease, or nil if another server has the lease. The number stays
  ///   the same until another server takes the lease.
  func take() async throws(ServerError) -> Int64?

  /// Stores the time of a complete backup, if this server still has the lease.
  ///
  /// - Parameters:
  ///   - begunAt: the time at which the backup began, by the clock of ``times()``.
  ///   - lease: the number of the lease with which the backup began.
  /// - Returns: whether the time was stored. If not, the lease has ended.
  func note(begunAt: Int64, lease: Int64) async throws(ServerError) -> Bool

  /// Stores that a backup has failed now, if this server still has the lease.
  ///
  /// - Returns: whether the time was stored. If not, the lease has ended.
  func noteFailure(lease: Int64) async throws(ServerError) -> Bool
}
