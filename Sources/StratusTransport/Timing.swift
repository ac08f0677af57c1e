/// The clock, delays and randomness of the transport. They are injected, so that tests need not
/// wait.
public struct Timing: Sendable {
  /// Seconds on a monotonic clock.
  public var now: @Sendable () -> Double
  /// Waits for a number of seconds; throws when the task is cancelled.
  public var sleep: @Sendable (Double) async throws -> Void
  /// Waits like ``sleep``. It is used for time-outs that guard other work and should not expire. A
  /// test clock that jumps to the next delay ignores these time-outs.
  public var watch: @Sendable (Double) async throws -> Void
  /// A random number from 0 up to 1.
  public var chance: @Sendable () -> Double

  /// - Parameter watch: by default it waits until it is cancelled.
  public init(
    now: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (Double) async throws -> Void,
    watch: (@Sendable (Double) async throws -> Void)? = nil,
    chance: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.watch = watch ?? { _ in try await Self.forever() }
    self.chance = chance
  }

  private static func forever() async throws {
    let silence = AsyncStream<Void> { _ in }
    for await _ in silence {}
    throw CancellationError()
  }
}
