package import StratusWire

/// Where a container's remote notifications come from: the server's stream, or what a test or the
/// simulation puts in its place.
package protocol NotificationFeed: Sendable {
  /// The user's notifications in all databases of the container, from now on and what waits for
  /// this device, in the order of the queue. Ends when the task that iterates is cancelled, never
  /// by itself: a lost connection is made again.
  ///
  /// The stream is open while anybody iterates. A notification counts as delivered once every
  /// sequence that is iterated has been asked for the next one.
  func notifications() -> AsyncStream<NotificationPayload>

  /// Says each time that notifications come from now on which until now may have been missed: when
  /// the stream is first opened, and when the server has been set back to a backup. Several may be
  /// told as one; ends when the task that iterates is cancelled.
  func openings() -> AsyncStream<Void>
}

/// The feed where there is no server to hear: it says nothing, until it is cancelled.
struct SilentFeed: NotificationFeed {
  func notifications() -> AsyncStream<NotificationPayload> { AsyncStream { _ in } }
  func openings() -> AsyncStream<Void> { AsyncStream { _ in } }
}
