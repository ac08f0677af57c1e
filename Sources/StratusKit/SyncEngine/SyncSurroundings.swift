package import StratusTransport

/// The environment of a sync engine: its clock, randomness, tasks, server, and the signals that
/// wake the engine.
///
/// An engine creates tasks only with `spawn` and waits only with `timing`, so that a simulation can
/// run it.
package struct SyncSurroundings: Sendable {
  package var timing: Timing
  /// Creates a task that continues if the task that created it is cancelled.
  package var spawn: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>
  package var calls: any SyncCalls
  package var notifications: any NotificationFeed
  package var accounts: any AccountFeed
  /// Whether the engine sends by itself if its configuration allows it.
  package var sendsByItself: Bool
  /// Whether the engine fetches by itself if its configuration allows it.
  package var fetchesByItself: Bool

  package init(
    timing: Timing,
    spawn: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>,
    calls: any SyncCalls, notifications: any NotificationFeed, accounts: any AccountFeed,
    sendsByItself: Bool = true, fetchesByItself: Bool = true
  ) {
    self.timing = timing
    self.spawn = spawn
    self.calls = calls
    self.notifications = notifications
    self.accounts = accounts
    self.sendsByItself = sendsByItself
    self.fetchesByItself = fetchesByItself
  }
}
