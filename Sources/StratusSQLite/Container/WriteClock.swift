/// The clock by which a writer orders the writes of several callers.
public struct WriteClock: Sendable {
  /// Returns the nanoseconds since a fixed moment.
  var stopwatch: @Sendable () -> Int64
  /// Calls a function after a number of nanoseconds.
  var wake: @Sendable (_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) -> Void

  public init(
    stopwatch: @escaping @Sendable () -> Int64,
    wake:
      @escaping @Sendable (
        _ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void
      ) -> Void
  ) {
    self.stopwatch = stopwatch
    self.wake = wake
  }
}
