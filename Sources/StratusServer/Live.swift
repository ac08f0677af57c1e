import Foundation
public import StratusDomain

/// The real clock, random numbers and UUIDs. The server gets them only from this type.
public struct Live: Sendable {
  public var ambient: Ambient
  /// Returns unpredictable bytes.
  public var randomness: @Sendable (_ count: Int) -> [UInt8]

  public init(
    ambient: Ambient = .live,
    randomness: @escaping @Sendable (_ count: Int) -> [UInt8] = Live.systemRandomness
  ) {
    self.ambient = ambient
    self.randomness = randomness
  }

  public static func systemRandomness(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Returns the time of the system's clock, in milliseconds since 1970 UTC.
  public static func milliseconds() -> Int64 { Ambient.live.now() }

  /// Returns a clock that shows the time since this call, and that never goes back.
  static func stopwatch() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { .now - start }
  }

  /// Returns a random number in 0 ..< 1.
  func chance() -> Double {
    Double(randomness(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / Double(UInt64(1) << 48)
  }

  /// Returns a random 64-bit number, which practically never repeats.
  func makeEpoch() -> Int64 {
    randomness(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}

extension Ambient {
  /// The system's clock and its UUIDs.
  public static let live = Ambient(
    now: { Int64(Date().timeIntervalSince1970 * 1_000) },
    makeUUID: { makeUUID().uuidString })

  /// Returns a random UUID (RFC 9562, version 4).
  ///
  /// NB: `UUID()` is not used, because on Linux it opens a device file each time, and each request
  /// needs a UUID.
  private static func makeUUID() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() >> 2 | 0x8000_0000_0000_0000
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
