/// How long to wait after failures that follow each other.
///
/// Choice: one second, doubled after each failure, five minutes at most. Up to half of the wait is
/// random, so that devices that failed together do not retry together.
struct BackOff: Sendable {
  /// Milliseconds since 1970 UTC.
  private(set) var until: Int64 = 0
  private var failures = 0

  private static let first: Int64 = 1_000
  private static let longest: Int64 = 5 * 60_000
  /// The maximum for a requested wait; milliseconds.
  private static let longestAsked: Int64 = 60 * 60_000

  func isOver(at time: Int64) -> Bool { until <= time }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - seconds: no sooner than after these.
  ///   - isLong: whether a person has to mend something first, so that haste is of no use.
  ///   - chance: 0 ..< 1
  mutating func fail(
    at time: Int64, afterSeconds seconds: Int?, isLong: Bool = false, chance: Double
  ) {
    let asked = min(Int64(max(0, min(seconds ?? 0, 86_400))) * 1_000, Self.longestAsked)
    // NB: what was under way when the wait began fails now, too; it is the same failure.
    if !isOver(at: time) {
      until = max(until, time + asked)
      return
    }
    let doubled = isLong ? Self.longest : Self.first << min(failures, 20)
    let pause = min(doubled, Self.longest)
    failures += 1
    until = time + max(asked, pause - Int64(Double(pause / 2) * chance))
  }
}
