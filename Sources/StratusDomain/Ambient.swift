/// Time and randomness, injected by the composition root, so that a test can control both.
public struct Ambient: Sendable {
  /// Milliseconds since 1970 UTC.
  public var now: @Sendable () -> Int64
  /// A new upper-case UUID.
  public var makeUUID: @Sendable () -> String

  public init(now: @escaping @Sendable () -> Int64, makeUUID: @escaping @Sendable () -> String) {
    self.now = now
    self.makeUUID = makeUUID
  }
}
