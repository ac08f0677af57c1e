import StratusDomain
import Synchronization

/// Slows down the guessing of passwords. Failed sign-ins cause a delay, but never lock an account
/// permanently.
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
    /// The client's IPv4 address or the prefix of its IPv6 address, or nil if it is unknown.
    var address: String?
    /// The IPv6 prefix of the client's site, or nil if it is unknown or the client uses IPv4.
    var site: String?
  }

  private struct Failures {
    var count = 0
    /// The time of the last counted attempt, in milliseconds.
    var last: Int64 = 0
    /// The value of ``last`` before the attempt in progress.
    var before: Int64 = 0
  }

  /// A rule for the failures from one address or site, for all accounts together.
  private struct GroupRule {
    /// The number of failures after which attempts have to wait.
    let countMax: Int
    /// The time after which one failure is forgotten, in milliseconds.
    let milliseconds: Int64

    func count(_ failures: Failures?, _ now: Int64) -> Int {
      guard let failures else { return 0 }
      return max(0, failures.count - Int((now - failures.last) / milliseconds))
    }

    func wait(_ failures: Failures?, _ now: Int64) -> Int? {
      guard let failures, count(failures, now) >= countMax else { return nil }
      let excess = Int64(failures.count - countMax + 1)
      return remaining(failures.last + excess * milliseconds, now)
    }
  }

  /// The number of failed sign-ins of one account after which a delay begins.
  static let accountMax = 10
  /// The longest delay after failed sign-ins of one account, in seconds.
  static let accountSecondsMax: Int64 = 900
  private static let addressRule = GroupRule(countMax: 30, milliseconds: 20_000)
  /// Choice: ten times as many failures as from one address. A site is an IPv6 prefix, and a
  /// provider gives a customer at most one such prefix.
  private static let siteRule = GroupRule(countMax: 300, milliseconds: 2_000)
  /// The time after which the failures of an account are forgotten.
  private static let forgetMilliseconds: Int64 = 3_600_000

  private let entriesMax: Int
  private let state = Mutex<[String: Failures]>([:])

  init(entriesMax: Int = 100_000) { self.entriesMax = entriesMax }

  /// Begins an attempt.
  ///
  /// NB: a known browser waits only for its own failures. Other people with the same address, for
  /// example behind a proxy that the server does not know, cannot lock it out.
  /// - Returns: the seconds to wait before an attempt may be made, or nil if it may be made now.
  func begin(_ attempt: Attempt, now: Int64) -> Int? {
    state.withLock { failures in
      let account = Self.accountKey(attempt)
      // The clock may have been set back.
      for key in Self.keys(attempt) where failures[key].map({ $0.last > now }) ?? false {
        failures[key]?.last = now
      }
      if let wait = Self.accountWait(failures[account], now) { return wait }
      if attempt.browser == nil {
        for (key, rule) in Self.groups(attempt) {
          if let wait = rule.wait(failures[key], now) { return wait }
        }
      }
      if failures.count >= entriesMax { sweep(&failures, now) }
      func count(_ key: String, earlier: Int) {
        failures[key] = Failures(
          count: earlier + 1, last: now, before: failures[key]?.last ?? now)
      }
      count(account, earlier: Self.accountCount(failures[account], now))
      for (key, rule) in Self.groups(attempt) {
        count(key, earlier: rule.count(failures[key], now))
      }
      return nil
    }
  }

  /// Ends a successful attempt, which then no longer counts as a failure.
  func succeed(_ attempt: Attempt) {
    state.withLock { failures in
      failures[Self.accountKey(attempt)] = nil
      for (key, _) in Self.groups(attempt) { failures[key]?.count -= 1 }
    }
  }

  /// Removes an attempt from the counts, for example because the server was too busy to check it.
  func withdraw(_ attempt: Attempt) {
    state.withLock { failures in
      for key in Self.keys(attempt) { failures[key]?.count -= 1 }
      let account = Self.accountKey(attempt)
      if let before = failures[account]?.before { failures[account]?.last = before }
    }
  }

  private static func accountKey(_ attempt: Attempt) -> String {
    attempt.browser.map { "browser " + $0 } ?? "account " + attempt.email
  }

  private static func keys(_ attempt: Attempt) -> [String] {
    [accountKey(attempt)] + groups(attempt).map(\.key)
  }

  private static func groups(_ attempt: Attempt) -> [(key: String, rule: GroupRule)] {
    var groups: [(String, GroupRule)] = []
    if let address = attempt.address { groups.append(("address " + address, addressRule)) }
    if let site = attempt.site { groups.append(("site " + site, siteRule)) }
    return groups
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

  /// Removes the failures that are old enough to be forgotten. If too many entries remain, removes
  /// those with the fewest failures first, and of equal entries the older ones. Therefore, an
  /// attacker who fills the table cannot clear a counter that already causes a delay.
  private func sweep(_ failures: inout [String: Failures], _ now: Int64) {
    failures = failures.filter { now - $0.value.last < Self.forgetMilliseconds }
    guard failures.count > entriesMax / 2 else { return }
    let kept = failures.sorted { ($0.value.count, $0.value.last) > ($1.value.count, $1.value.last) }
      .prefix(entriesMax / 2)
    failures = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}

/// Returns the seconds until `end`, rounded up, or nil if that time has passed.
private func remaining(_ end: Int64, _ now: Int64) -> Int? {
  end > now ? Int((end - now + 999) / 1_000) : nil
}
