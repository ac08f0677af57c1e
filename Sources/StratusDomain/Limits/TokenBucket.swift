import StratusWire

/// A bucket that fills at a constant rate. Its state is one number: the time when the bucket will
/// be full.
///
/// NB: if that time has passed, the bucket is full and need not be stored.
struct TokenBucket: Sendable, Hashable {
  /// The time when the bucket will be full, in microseconds since 1970 UTC.
  private(set) var fullAt: Int64 = 0

  func isFull(at now: Int64) -> Bool { fullAt <= now }

  /// Returns the bucket after `count` is taken from it.
  ///
  /// A count above the size of the bucket takes the whole bucket, because the bucket never has
  /// more.
  ///
  /// - Parameter now: microseconds since 1970 UTC.
  func taking(_ count: Int, of rate: LimitSettings.Rate, now: Int64) -> TokenBucket {
    let interval = 1_000_000 / Int64(rate.perSecond)
    let depth = interval * Int64(rate.burst)
    // NB: `fullAt` is never later than now by more than twice the depth, unless the clock was set
    // back.
    let begin = fullAt > now + 2 * depth ? now : max(fullAt, now)
    return TokenBucket(fullAt: begin + interval * Int64(min(count, rate.burst)))
  }

  /// Takes `count` even if the bucket has less, because the work is already done.
  ///
  /// Choice: the debt is limited to the size of one bucket.
  mutating func charge(_ count: Int, of rate: LimitSettings.Rate, now: Int64) {
    let interval = 1_000_000 / Int64(rate.perSecond)
    let latest = now + 2 * interval * Int64(rate.burst)
    let begin = fullAt > latest ? now : max(fullAt, now)
    // NB: the count is limited before the multiplication, to avoid an overflow.
    let count = Int64(min(count, 2 * rate.burst))
    fullAt = min(begin + interval * count, latest)
  }

  /// The whole seconds until the debt is paid, or nil if there is no debt.
  func debtSeconds(of rate: LimitSettings.Rate, now: Int64) -> Int? {
    let debt = fullAt - now - 1_000_000 / Int64(rate.perSecond) * Int64(rate.burst)
    return debt > 0 ? Int((debt + 999_999) / 1_000_000) : nil
  }
}
