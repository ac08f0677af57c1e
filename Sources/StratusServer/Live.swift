import Dispatch
import Foundation
public import StratusDomain
import Synchronization

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
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
  }

  /// Returns the time of the system's clock, in milliseconds since 1970 UTC.
  public static func milliseconds() -> Int64 { Ambient.live.now() }

  /// Returns the nanoseconds since a fixed moment, by a clock that never goes back.
  ///
  /// NB: each request reads this clock twice. A `Duration` has 128 bits, and its conversion to
  /// microseconds takes longer than the reading.
  static func stopwatch() -> Int64 {
    Int64(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds)
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
    let numbers = numbers.next()
    let high = numbers.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = numbers.1 >> 2 | 0x8000_0000_0000_0000
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  private static let numbers = RandomNumbers()
}

/// Random numbers from the system. Many are read at once, because each request needs some, and each
/// read is a system call.
private final class RandomNumbers: Sendable {
  /// `getentropy` returns at most 256 bytes.
  private static let countRead = 32

  private let unused = Mutex<[UInt64]>([])

  /// Returns two numbers that no other call has got.
  func next() -> (UInt64, UInt64) {
    unused.withLock { unused in
      if unused.count < 2 { unused = Self.read() }
      return (unused.removeLast(), unused.removeLast())
    }
  }

  private static func read() -> [UInt64] {
    var numbers = [UInt64](repeating: 0, count: countRead)
    let status = numbers.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { getentropy($0, bytes.count) } ?? -1
    }
    if status == 0 { return numbers }
    var generator = SystemRandomNumberGenerator()
    return numbers.map { _ in generator.next() }
  }
}
