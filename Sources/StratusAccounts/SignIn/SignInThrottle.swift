import StratusDomain
import Synchronization

/// Slows down the guessing of passwords. Failures count, and no account is ever locked for good
/// (signin §7).
///
/// An attempt counts as a failure from its beginning, so that parallel attempts count, too.
final class SignInThrottle: Sendable {
  /// The origin of an attempt.
  struct Attempt: Sendable, Hashable {
    /// As typed, in lower case.
    var email: String
    /// The ID of a browser in which the account has signed in before; nil: an unknown one.
    var browser: String?
    /// The client's address, or its IPv6 prefix; nil: unknown.
    var address: String?
  }

  private struct Failures {
    var count = 0
    /// Milliseconds since 1970 UTC.
    var last: Int64 = 0
  }

  /// Failures of an account after which it has to wait.
  static let accountMax = 10
  /// The longest wait of an account.
  static let accountSecondsMax: Int64 = 900
  /// Failures of an address after which it has to wait.
  static let addressMax = 30
  /// The time in which one failure of an address is forgotten.
  static let addressSeconds: Int64 = 20
  /// The time after which the failures of an account are forgotten.
  private static let forgetMilliseconds: Int64 = 3_600_000
  private static let entriesMax = 100_000

  private let state = Mutex<[String: Failures]>([:])

  /// Begins an attempt.
  ///
  /// - Returns: the seconds to wait, and then the attempt must not be made; nil: it may be made.
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

  /// Ends an attempt that was no failure.
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

  /// The wait doubles with each failure.
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

  /// Removes forgotten failures. If that is not enough, removes all: a wrong refusal is worse.
  private static func sweep(_ failures: inout [String: Failures], _ now: Int64) {
    failures = failures.filter { now - $0.value.last < forgetMilliseconds }
    if failures.count > entriesMax / 2 { failures.removeAll() }
  }
}
