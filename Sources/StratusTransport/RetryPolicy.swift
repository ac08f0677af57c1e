/// How long a caller is ready to wait for a request to succeed.
public enum Patience: Sendable, Hashable {
  /// Somebody is waiting: failures are handed over, after a few short repetitions at most.
  case short
  /// Nobody is waiting: whatever may pass is repeated until the time for the resource is over.
  case long
}

/// Decides whether a failed request is sent again, and when.
///
/// Source: semantics §13 (quality of service), §22. Choice: where somebody waits, a postponement of
/// a few seconds is still sat out here, because most apps would only show it to the user.
public struct RetryPolicy: Sendable {
  /// First wait of a series, in seconds, before it is doubled.
  static let firstDelaySeconds = 0.5
  /// No wait of our own is longer; the server may ask for more.
  static let delaySecondsMax = 60.0
  /// Attempts altogether, where somebody waits.
  static let shortAttemptsMax = 3
  /// Attempts without a byte more, where somebody waits for a file.
  static let shortAttemptsOfFileMax = 5
  /// Longest wait, where somebody waits.
  static let shortDelaySecondsMax = 3.0

  public var patience: Patience
  /// Whether carrying the request out twice is the same as once.
  public var isIdempotent: Bool
  /// Whether what was carried over before the failure is kept, as with the pieces of a file.
  ///
  /// Choice: then a lost or silent connection is no reason to give up at once, even where somebody
  /// waits: a file takes long enough to see one break.
  public var isResumed: Bool

  public init(patience: Patience, isIdempotent: Bool, isResumed: Bool = false) {
    self.patience = patience
    self.isIdempotent = isIdempotent
    self.isResumed = isResumed
  }

  /// Seconds to wait before the next attempt; nil: the failure is final.
  ///
  /// - Parameters:
  ///   - attempt: attempts made so far, from 1.
  ///   - remaining: seconds left for the whole request; nil: no bound.
  ///   - chance: from 0 up to 1, spreads clients that failed together.
  public func delay(
    after failure: TransportFailure, attempt: Int, remaining: Double?, chance: Double
  ) -> Double? {
    guard mayRepeat(after: failure, attempt: attempt) else { return nil }
    let doubled = Self.firstDelaySeconds * Double(1 << min(attempt - 1, 16))
    let spread = min(doubled, Self.delaySecondsMax) * (0.5 + chance / 2)
    let delay = max(spread, failure.retryAfterSeconds ?? 0)
    if patience == .short && delay > Self.shortDelaySecondsMax { return nil }
    if let remaining, delay >= remaining { return nil }
    return delay
  }

  private func mayRepeat(after failure: TransportFailure, attempt: Int) -> Bool {
    let attemptsMax = isResumed ? Self.shortAttemptsOfFileMax : Self.shortAttemptsMax
    if patience == .short && attempt >= attemptsMax { return false }
    if failure.isPostponed { return true }
    switch failure {
    case .refused, .accountChanged: return false
    case .unreadable(let status, _, _):
      return (patience == .long || isResumed) && isIdempotent && (status == 502 || status == 504)
    case .network(.cancelled): return false
    case .network(.notConnected): return patience == .long
    case .network(.lostBeforeSending): return patience == .long || isResumed
    case .network(.timedOut): return patience == .long && isIdempotent
    case .network(.lostAfterSending):
      // NB: also where somebody waits, once: a kept connection that the server has just closed
      // looks the same as a broken one.
      return isIdempotent && (patience == .long || isResumed || attempt == 1)
    }
  }
}
