/// The clock, the delays and the randomness of the transport. Tests replace them in order not to
/// wait.
public struct Timing: Sendable {
  /// Returns the number of seconds on a monotonic clock.
  public var now: @Sendable () -> Double
  /// Waits for a number of seconds. Throws an error when the task is cancelled.
  public var sleep: @Sendable (Double) async throws -> Void
  /// Waits like ``sleep``. It is used for time-outs that guard other work and normally do not
  /// expire. A test clock that jumps to the next delay ignores these time-outs.
  public var watch: @Sendable (Double) async throws -> Void
  /// Returns a random number from 0 to below 1.
  public var chance: @Sendable () -> Double

  /// - Parameter watch: see ``watch``. The default waits until the task is cancelled.
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
