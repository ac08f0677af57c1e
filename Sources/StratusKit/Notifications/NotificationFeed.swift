package import StratusWire

/// The source of a container's remote notifications: the server's stream, or a substitute in tests
/// and the simulation.
package protocol NotificationFeed: Sendable {
  /// Returns the user's notifications in all databases of the container, in the order of the
  /// server's queue. The sequence starts with the notifications that are queued for this device.
  /// The sequence ends when the task that iterates is cancelled. A lost connection is opened again.
  ///
  /// The stream is open while any sequence is iterated. The server keeps a notification for this
  /// device until every task that iterates has requested the next notification.
  func notifications() -> AsyncStream<NotificationPayload>

  /// Returns a sequence that signals the start of a stream if notifications may have been missed
  /// before that stream. This is the case for the first stream, and for a stream after the server
  /// was restored from a backup. One element may stand for several signals. The sequence ends when
  /// the task that iterates is cancelled.
  func openings() -> AsyncStream<Void>
}

/// The feed of a container without a server. Its sequences deliver nothing, and end when they are
/// cancelled.
struct SilentFeed: NotificationFeed {
  func notifications() -> AsyncStream<NotificationPayload> { AsyncStream { _ in } }
  func openings() -> AsyncStream<Void> { AsyncStream { _ in } }
}
