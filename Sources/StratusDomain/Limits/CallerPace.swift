public import StratusWire
import Synchronization

/// Keeps callers to a pace: token buckets of each user and each API token.
///
/// It takes one lock and two look-ups a request. Callers who rest are forgotten.
public final class CallerPace: Sendable {
  /// Who is held to it.
  public struct Subject: Sendable, Hashable {
    /// nil: nobody signed in.
    public var userRecordName: String?
    /// One that has been found good.
    public var apiToken: String?

    public init(userRecordName: String?, apiToken: String?) {
      self.userRecordName = userRecordName
      self.apiToken = apiToken
    }
  }

  private enum Kind { case requests, operations }

  private struct Buckets {
    var requests = TokenBucket()
    var operations = TokenBucket()

    subscript(kind: Kind) -> TokenBucket {
      get {
        switch kind {
        case .requests: requests
        case .operations: operations
        }
      }
      set {
        switch kind {
        case .requests: requests = newValue
        case .operations: operations = newValue
        }
      }
    }
  }

  private struct State {
    /// By user record name and API token, which are never the same text.
    var callers: [String: Buckets] = [:]
    /// Callers at which those who rest are looked for.
    var sweepAt = 4_096
  }

  private let settings: LimitSettings
  private let ambient: Ambient
  private let callersMax: Int
  private let state = Mutex(State())

  /// - Parameter callersMax: see ``Limits/pacedCallersMax``.
  public init(
    _ settings: LimitSettings, ambient: Ambient, callersMax: Int = Limits.pacedCallersMax
  ) {
    self.settings = settings
    self.ambient = ambient
    self.callersMax = max(1, callersMax)
  }

  /// Counts a request.
  ///
  /// - Throws: `THROTTLED`; then it is not counted.
  public func admitRequest(of subject: Subject) throws(ServerError) {
    try take(
      1, .requests, subject,
      userRule: (settings.requestsPerUser, .requestsPerUser),
      tokenRule: (settings.requestsPerAPIToken, .requestsPerAPIToken))
  }

  /// Counts what a request is about to save and delete.
  ///
  /// - Throws: `THROTTLED`; then nothing is counted.
  public func admitOperations(_ count: Int, of subject: Subject) throws(ServerError) {
    if count == 0 { return }
    try take(
      count, .operations, subject,
      userRule: (settings.operationsPerUser, .operationsPerUser),
      tokenRule: (settings.operationsPerAPIToken, .operationsPerAPIToken))
  }

  /// How many callers are known, for tests.
  var callersCount: Int { state.withLock { $0.callers.count } }

  private typealias Rule = (rate: LimitSettings.Rate?, name: LimitRule)

  private func take(
    _ count: Int, _ kind: Kind, _ subject: Subject, userRule: Rule, tokenRule: Rule
  ) throws(ServerError) {
    if userRule.rate == nil && tokenRule.rate == nil { return }
    let now = ambient.now() * 1_000
    let refusal: (rule: LimitRule, seconds: Int)? = state.withLock { state in
      let byToken = bucket(of: subject.apiToken, count, kind, tokenRule, state, now)
      if let seconds = byToken?.debtSeconds { return (tokenRule.name, seconds) }
      let byUser = bucket(of: subject.userRecordName, count, kind, userRule, state, now)
      if let seconds = byUser?.debtSeconds { return (userRule.name, seconds) }
      // Only now, so that what is refused by one is not charged to the other.
      if let byToken { state.callers[byToken.caller, default: Buckets()][kind] = byToken.bucket }
      if let byUser { state.callers[byUser.caller, default: Buckets()][kind] = byUser.bucket }
      if state.callers.count >= min(state.sweepAt, callersMax) { sweep(&state, now) }
      return nil
    }
    if let refusal {
      throw ServerError(
        .throttled, refusal.rule.reason, retryAfterSeconds: refusal.seconds)
    }
  }

  private struct Taken {
    let caller: String
    let bucket: TokenBucket
    let debtSeconds: Int?
  }

  /// The caller's bucket once so much is taken from it; nil: no rule holds it.
  private func bucket(
    of caller: String?, _ count: Int, _ kind: Kind, _ rule: Rule, _ state: State,
    _ now: Int64
  ) -> Taken? {
    guard let caller, let rate = rule.rate else { return nil }
    let bucket = (state.callers[caller]?[kind] ?? TokenBucket())
      .taking(count, of: rate, now: now)
    return Taken(
      caller: caller, bucket: bucket, debtSeconds: bucket.debtSeconds(of: rate, now: now))
  }

  /// Forgets who rests; and everybody, where hardly anybody does: that is the kinder mistake.
  private func sweep(_ state: inout State, _ now: Int64) {
    state.callers = state.callers.filter { _, buckets in
      !buckets.requests.isFull(at: now) || !buckets.operations.isFull(at: now)
    }
    if state.callers.count > callersMax / 2 { state.callers.removeAll() }
    state.sweepAt = max(4_096, state.callers.count * 2)
  }
}
