import StratusDomain
import Synchronization

/// Slows down the guessing of passwords. Failed sign-ins cause a delay, but never lock an account
/// permanently (signin §7).
///
/// An attempt counts as a failure until it succeeds, so that parallel attempts are counted.
final class SignInThrottle: Sendable {
  /// The account, browser and address of an attempt.
  struct Attempt: Sendable, Hashable {
    /// The e-mail address as the user typed it, in lower case.
    var email: String
    /// The ID of a browser in which the account has signed in before, or nil for an unknown
    /// browser.
    var browser: String?
    /// The client's IP address (of IPv6, the prefix), or nil if it is unknown.
    var address: String?
  }

  private struct Failures {
    var count = 0
    /// The time of the last failure, in milliseconds since 1970 UTC.
    var last: Int64 = 0
  }

  /// The number of failed sign-ins of one account after which a delay begins.
  static let accountMax = 10
  /// The longest delay after failed sign-ins of one account, in seconds.
  static let accountSecondsMax: Int64 = 900
  /// The number of failed sign-ins from one client address after which a delay begins.
  static let addressMax = 30
  /// The number of seconds after which one failure of a client address is forgotten.
  static let addressSeconds: Int64 = 20
  /// The number of milliseconds after which the failures of an account are forgotten.
  private static let forgetMilliseconds: Int64 = 3_600_000
  private static let entriesMax = 100_000

  private let state = Mutex<[String: Failures]>([:])

  /// Begins an attempt.
  ///
  /// - Returns: nil if the attempt may be made. Otherwise, the seconds after which to try again.
  func begin(_ attempt: Attempt, now: Int64) -> Int? {
    state.withLock { failures in
      let account = Self.accountKey(attempt)
      if let wait = Self.accountWait(failures[account], now) { return wait }
      if let address = Self.addressKey(attempt),
        let wait = Self.addressWait(failures[address], now)
      {
        return wait
      }
      if failures.count >= Self.entriesMax { Self.sweep(&failures, now) }
      failures[account] = Failures(
        count: Self.accountCount(failures[account], now) + 1, last: now)
      if let address = Self.addressKey(attempt) {
        failures[address] = Failures(
          count: Self.addressCount(failures[address], now) + 1, last: now)
      }
      return nil
    }
  }

  /// Ends a successful attempt, which then no longer counts as a failure.
  func succeed(_ attempt: Attempt) {
    state.withLock { failures in
      failures[Self.accountKey(attempt)] = nil
      if let address = Self.addressKey(attempt) { failures[address]?.count -= 1 }
    }
  }

  private static func accountKey(_ attempt: Attempt) -> String {
    attempt.browser.map { "browser " + $0 } ?? "account " + attempt.email
  }

  private static func addressKey(_ attempt: Attempt) -> String? {
    attempt.address.map { "address " + $0 }
  }

  private static func accountCount(_ failures: Failures?, _ now: Int64) -> Int {
    guard let failures, now - failures.last < forgetMilliseconds else { return 0 }
    return failures.count
  }

  /// Computes the remaining delay of an account. The delay doubles with each failure.
  private static func accountWait(_ failures: Failures?, _ now: Int64) -> Int? {
    let count = accountCount(failures, now)
    guard let failures, count >= accountMax else { return nil }
    let seconds = min(1 << min(Int64(count - accountMax + 1), 20), accountSecondsMax)
    return remaining(failures.last + seconds * 1_000, now)
  }

  private static func addressCount(_ failures: Failures?, _ now: Int64) -> Int {
    guard let failures else { return 0 }
    return max(0, failures.count - Int((now - failures.last) / (addressSeconds * 1_000)))
  }

  private static func addressWait(_ failures: Failures?, _ now: Int64) -> Int? {
    guard let failures, addressCount(failures, now) >= addressMax else { return nil }
    let excess = Int64(failures.count - addressMax + 1)
    return remaining(failures.last + excess * addressSeconds * 1_000, now)
  }

  private static func remaining(_ end: Int64, _ now: Int64) -> Int? {
    end > now ? Int((end - now + 999) / 1_000) : nil
  }

  /// Removes forgotten failures. If too many are left, removes all, because a wrong refusal is
  /// worse.
  private static func sweep(_ failures: inout [String: Failures], _ now: Int64) {
    failures = failures.filter { now - $0.value.last < forgetMilliseconds }
    if failures.count > entriesMax / 2 { failures.removeAll() }
  }
}
