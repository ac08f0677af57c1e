package import StratusTransport

/// All that a sync engine has around it: clock and chance, tasks, the server, and what wakes it.
///
/// Everything asynchronous in an engine goes through here, so that a simulation can run it: it
/// makes no task but by `spawn`, and waits for time by `timing` alone.
package struct SyncSurroundings: Sendable {
  package var timing: Timing
  /// Makes a task that nobody's cancellation reaches.
  package var spawn: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>
  package var calls: any SyncCalls
  package var notifications: any NotificationFeed
  package var accounts: any AccountFeed
  /// Whether changes are sent by themselves, if the configuration says so, too.
  package var sendsByItself: Bool
  /// Whether changes are fetched by themselves, if the configuration says so, too.
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
