/// The sources of time and randomness. The composition root injects them, so that a test can
/// control both.
public struct Ambient: Sendable {
  /// Returns the time in milliseconds since 1970 UTC.
  public var now: @Sendable () -> Int64
  /// Returns a new upper-case UUID.
  public var makeUUID: @Sendable () -> String

  public init(now: @escaping @Sendable () -> Int64, makeUUID: @escaping @Sendable () -> String) {
    self.now = now
    self.makeUUID = makeUUID
  }
}
