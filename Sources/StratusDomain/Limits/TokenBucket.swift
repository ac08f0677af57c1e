import StratusWire

/// A bucket that fills at an even pace, kept as one number: when it will be full again.
///
/// NB: a bucket whose time has passed is full, and need not be kept at all.
struct TokenBucket: Sendable, Hashable {
  /// Microseconds since 1970 UTC.
  private(set) var fullAt: Int64 = 0

  func isFull(at now: Int64) -> Bool { fullAt <= now }

  /// The bucket after so much is taken from it.
  ///
  /// What is more than the whole bucket is taken as the whole, since it could never be had.
  /// - Parameter now: microseconds since 1970 UTC.
  func taking(_ count: Int, of rate: LimitSettings.Rate, now: Int64) -> TokenBucket {
    let interval = 1_000_000 / Int64(rate.perSecond)
    let depth = interval * Int64(rate.burst)
    // NB: no bucket is further from full than twice its depth, unless the clock was set back.
    let begin = fullAt > now + 2 * depth ? now : max(fullAt, now)
    return TokenBucket(fullAt: begin + interval * Int64(min(count, rate.burst)))
  }

  /// Takes so much although it may not be there, as it has been used already.
  ///
  /// Choice: what is missing is another whole bucket at most.
  mutating func charge(_ count: Int, of rate: LimitSettings.Rate, now: Int64) {
    let interval = 1_000_000 / Int64(rate.perSecond)
    let latest = now + 2 * interval * Int64(rate.burst)
    let begin = fullAt > latest ? now : max(fullAt, now)
    // NB: the count is bounded before it is multiplied.
    let count = Int64(min(count, 2 * rate.burst))
    fullAt = min(begin + interval * count, latest)
  }

  /// Whole seconds until what was taken is there; nil: it is.
  func debtSeconds(of rate: LimitSettings.Rate, now: Int64) -> Int? {
    let debt = fullAt - now - 1_000_000 / Int64(rate.perSecond) * Int64(rate.burst)
    return debt > 0 ? Int((debt + 999_999) / 1_000_000) : nil
  }
}
