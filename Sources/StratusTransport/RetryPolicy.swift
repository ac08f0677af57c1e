/// How long a caller waits for a request to succeed.
public enum Patience: Sendable, Hashable {
  /// The user is waiting. A failure is returned after at most a few short retries.
  case short
  /// The user is not waiting. Temporary failures are retried until the resource timeout.
  case long
}

/// Decides whether a failed request is sent again, and when.
///
/// Choice: even with `short` patience, the policy waits up to a few seconds and retries. Without
/// these retries, most apps would only show the failure.
public struct RetryPolicy: Sendable {
  /// The first delay of a series, in seconds. Each further delay is twice as long.
  static let firstDelaySeconds = 0.5
  /// The longest delay that the policy chooses, in seconds. The server may request a longer delay.
  static let delaySecondsMax = 60.0
  /// The maximum number of attempts with `short` patience.
  static let shortAttemptsMax = 3
  /// The maximum number of consecutive attempts without progress, for a file transfer with `short`
  /// patience.
  static let shortAttemptsOfFileMax = 5
  /// The longest delay with `short` patience, in seconds.
  static let shortDelaySecondsMax = 3.0

  public var patience: Patience
  /// Whether carrying out the request twice has the same effect as once.
  public var isIdempotent: Bool
  /// Whether the next attempt continues where the failed attempt stopped, as with the pieces of a
  /// file.
  ///
  /// Choice: a lost connection is then retried even with `short` patience, because long file
  /// transfers are often interrupted.
  public var isResumed: Bool

  public init(patience: Patience, isIdempotent: Bool, isResumed: Bool = false) {
    self.patience = patience
    self.isIdempotent = isIdempotent
    self.isResumed = isResumed
  }

  /// Returns the number of seconds to wait before the next attempt, or nil if the failure is final.
  ///
  /// - Parameters:
  ///   - attempt: the number of attempts made so far, at least 1.
  ///   - remaining: the number of seconds left for the whole request. nil means no limit.
  ///   - chance: a random number from 0 to below 1, which spreads the retries of many clients.
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
      // NB: one retry is made even with `short` patience. An idle connection that the server has
      // just closed looks the same as a broken connection.
      return isIdempotent && (patience == .long || isResumed || attempt == 1)
    }
  }
}
