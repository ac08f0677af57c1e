public import StratusWire
import Synchronization

/// Limits the rate of callers with token buckets. Each user and each API token has a bucket for
/// requests and a bucket for operations. The anonymous callers of an API token share a bucket for
/// requests, and so do the anonymous callers from an address.
///
/// A request costs one lock and two lookups. Idle callers are removed.
public final class CallerPace: Sendable {
  /// The caller that the limits apply to.
  public struct Subject: Sendable, Hashable {
    /// The user's record name, or nil if the caller is not signed in.
    public var userRecordName: String?
    /// The caller's API token, or nil if there is no valid one.
    public var apiToken: String?
    /// The address of the caller, or nil if it is unknown. It is used only for anonymous callers.
    public var clientAddress: String?

    public init(userRecordName: String?, apiToken: String?, clientAddress: String? = nil) {
      self.userRecordName = userRecordName
      self.apiToken = apiToken
      self.clientAddress = clientAddress
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
    /// The buckets, by user record name, API token or address. A text of one of these kinds is
    /// never equal to a text of another kind.
    var callers: [String: Buckets] = [:]
    /// The number of callers at which idle callers are removed.
    var sweepAt = 4_096
  }

  private let whole: LimitSettings
  private let nodesCount = Atomic<Int>(1)
  private let ambient: Ambient
  private let callersMax: Int
  private let state = Mutex(State())

  /// - Parameter callersMax: see ``Limits/pacedCallersMax``.
  public init(
    _ settings: LimitSettings, ambient: Ambient, callersMax: Int = Limits.pacedCallersMax
  ) {
    whole = settings
    self.ambient = ambient
    self.callersMax = max(1, callersMax)
  }

  /// The limits of this process.
  private var settings: LimitSettings {
    whole.share(amongNodes: nodesCount.load(ordering: .relaxed))
  }

  /// Divides the rates among several processes.
  ///
  /// Choice: each process gets the same share, because a load balancer distributes requests evenly.
  public func share(amongNodes count: Int) { nodesCount.store(max(1, count), ordering: .relaxed) }

  /// Counts a request.
  ///
  /// - Throws: `THROTTLED` if a limit is reached. The request is then not counted.
  public func admitRequest(of subject: Subject) throws(ServerError) {
    try take(1, .requests, requestRules(for: subject))
  }

  /// Counts the records that a request will save and delete.
  ///
  /// NB: anonymous callers cannot change anything, so their operations do not count. Otherwise they
  /// would use up the limit of the app's users.
  ///
  /// - Throws: `THROTTLED` if a limit is reached. No record is then counted.
  public func admitOperations(_ count: Int, of subject: Subject) throws(ServerError) {
    if count == 0 || subject.userRecordName == nil { return }
    try take(
      count, .operations,
      [
        Rule(subject.apiToken, settings.operationsPerAPIToken, .operationsPerAPIToken),
        Rule(subject.userRecordName, settings.operationsPerUser, .operationsPerUser),
      ])
  }

  /// Charges the extra cost of an answered request, as if the caller had sent several requests.
  ///
  /// - Parameters:
  ///   - bytes: the number of bytes received and sent.
  ///   - steps: the number of units of work, each of about 1 µs.
  public func charge(bytes: Int, steps: Int, to subject: Subject) {
    let count = bytes / Limits.bytesPerPacedRequest + steps / Limits.stepsPerPacedRequest
    if count == 0 { return }
    let now = ambient.now() * 1_000
    state.withLock { state in
      for rule in requestRules(for: subject) {
        guard let caller = rule.caller, let rate = rule.rate else { continue }
        state.callers[caller, default: Buckets()].requests.charge(count, of: rate, now: now)
      }
    }
  }

  /// Returns the seconds for which an address remains under suspicion, or nil if it is not under
  /// suspicion. An address is under suspicion if too many of its requests had wrong credentials.
  /// The server then refuses its requests, unless their credentials are in the server's cache, or
  /// the server has made their web auth tokens.
  ///
  /// Choice: requests with wrong credentials have the rate limit of anonymous requests, but a
  /// bucket of their own.
  public func suspicionSeconds(of address: String?) -> Int? {
    guard let address, let rate = settings.anonymousRequestsPerAddress else { return nil }
    let now = ambient.now() * 1_000
    return state.withLock { state in
      guard let bucket = state.callers["failures " + address]?.requests else { return nil }
      return bucket.taking(1, of: rate, now: now).debtSeconds(of: rate, now: now)
    }
  }

  /// Counts a request with wrong credentials.
  public func noteWrongCredentials(from address: String?) {
    guard let address, let rate = settings.anonymousRequestsPerAddress else { return }
    let now = ambient.now() * 1_000
    state.withLock { state in
      let caller = "failures " + address
      state.callers[caller, default: Buckets()].requests.charge(1, of: rate, now: now)
      if state.callers.count >= min(state.sweepAt, callersMax) { sweep(&state, now) }
    }
  }

  /// Choice: anonymous callers have separate limits for their app and their address, so that they
  /// cannot slow down the app's users.
  private func requestRules(for subject: Subject) -> [Rule] {
    if let user = subject.userRecordName {
      return [
        Rule(subject.apiToken, settings.requestsPerAPIToken, .requestsPerAPIToken),
        Rule(user, settings.requestsPerUser, .requestsPerUser),
      ]
    }
    return [
      Rule(
        subject.apiToken.map { "anonymous " + $0 }, settings.anonymousRequestsPerAPIToken,
        .anonymousRequestsPerAPIToken),
      Rule(
        subject.clientAddress.map { "address " + $0 }, settings.anonymousRequestsPerAddress,
        .anonymousRequestsPerAddress),
    ]
  }

  /// The number of known callers, for tests.
  var callersCount: Int { state.withLock { $0.callers.count } }

  /// A rate limit, and the caller that it applies to.
  private struct Rule {
    let caller: String?
    let rate: LimitSettings.Rate?
    let name: LimitRule

    init(_ caller: String?, _ rate: LimitSettings.Rate?, _ name: LimitRule) {
      self.caller = caller
      self.rate = rate
      self.name = name
    }
  }

  private func take(_ count: Int, _ kind: Kind, _ rules: [Rule]) throws(ServerError) {
    if rules.allSatisfy({ $0.rate == nil }) { return }
    let now = ambient.now() * 1_000
    let refusal: (rule: LimitRule, seconds: Int)? = state.withLock { state in
      var taken: [Taken] = []
      for rule in rules {
        guard let bucket = bucket(count, kind, rule, state, now) else { continue }
        if let seconds = bucket.debtSeconds { return (rule.name, seconds) }
        taken.append(bucket)
      }
      // The buckets are charged last, so that a request refused by one rule is not charged to
      // another.
      for taken in taken { state.callers[taken.caller, default: Buckets()][kind] = taken.bucket }
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

  /// Returns the caller's bucket after `count` is taken from it, or nil if the rule does not apply.
  private func bucket(
    _ count: Int, _ kind: Kind, _ rule: Rule, _ state: State, _ now: Int64
  ) -> Taken? {
    guard let caller = rule.caller, let rate = rule.rate else { return nil }
    let bucket = (state.callers[caller]?[kind] ?? TokenBucket())
      .taking(count, of: rate, now: now)
    return Taken(
      caller: caller, bucket: bucket, debtSeconds: bucket.debtSeconds(of: rate, now: now))
  }

  /// Removes idle callers. If too many callers remain, clears the table, because an unthrottled
  /// caller is better than a wrongly throttled one.
  private func sweep(_ state: inout State, _ now: Int64) {
    state.callers = state.callers.filter { _, buckets in
      !buckets.requests.isFull(at: now) || !buckets.operations.isFull(at: now)
    }
    if state.callers.count > callersMax / 2 { state.callers.removeAll() }
    state.sweepAt = max(4_096, state.callers.count * 2)
  }
}
