/// The time to wait after consecutive failures.
///
/// Choice: the first wait is one second. The wait doubles with each failure, up to five minutes. Up
/// to half of the wait is random, so that devices that failed at the same time do not retry at the
/// same time.
struct BackOff: Sendable {
  /// The time until which to wait, in milliseconds since 1970 UTC.
  private(set) var until: Int64 = 0
  private var failures = 0

  private static let first: Int64 = 1_000
  private static let longest: Int64 = 5 * 60_000
  /// The maximum wait that Apple's service can request, in milliseconds.
  private static let longestAsked: Int64 = 60 * 60_000

  func isOver(at time: Int64) -> Bool { until <= time }

  /// Begins or extends the wait after a failure.
  ///
  /// - Parameters:
  ///   - seconds: the minimum wait that Apple's service requested, in seconds, or nil.
  ///   - isLong: whether a person has to fix something first, so that early retries are useless.
  ///     The first wait is then also five minutes.
  ///   - chance: a random number in 0 ..< 1.
  mutating func fail(
    at time: Int64, afterSeconds seconds: Int?, isLong: Bool = false, chance: Double
  ) {
    let asked = min(Int64(max(0, min(seconds ?? 0, 86_400))) * 1_000, Self.longestAsked)
    // NB: requests that were in progress when the wait began also fail. They count as the same
    // failure.
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
