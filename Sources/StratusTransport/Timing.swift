/// Time and chance, as the transport needs them; injected, so that tests need not wait.
public struct Timing: Sendable {
  /// Seconds on a clock that never goes back.
  public var now: @Sendable () -> Double
  /// Waits so many seconds; throws when the task is cancelled.
  public var sleep: @Sendable (Double) async throws -> Void
  /// A number from 0 up to 1.
  public var chance: @Sendable () -> Double

  public init(
    now: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (Double) async throws -> Void,
    chance: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.chance = chance
  }
}
