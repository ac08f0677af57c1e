/// Time and chance, as the transport needs them; injected, so that tests need not wait.
public struct Timing: Sendable {
  /// Seconds on a clock that never goes back.
  public var now: @Sendable () -> Double
  /// Waits so many seconds; throws when the task is cancelled.
  public var sleep: @Sendable (Double) async throws -> Void
  /// Waits likewise, for what most likely never comes to matter: who waits watches over something
  /// that goes on. A clock of a test that jumps to what is waited for does not jump for it.
  public var watch: @Sendable (Double) async throws -> Void
  /// A number from 0 up to 1.
  public var chance: @Sendable () -> Double

  /// - Parameter watch: by default it lasts until it is cancelled.
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
