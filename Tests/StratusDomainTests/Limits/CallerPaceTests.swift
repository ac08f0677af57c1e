import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

@Suite struct `The rate limit of callers` {
  private final class Clock: Sendable {
    private let milliseconds = Mutex<Int64>(1_767_225_600_000)

    func move(byMilliseconds span: Int64) { milliseconds.withLock { $0 += span } }

    var ambient: Ambient {
      Ambient(now: { self.milliseconds.withLock { $0 } }, makeUUID: { "" })
    }
  }

  private static let ann = CallerPace.Subject(userRecordName: "_ann", apiToken: "api")
  private static let bob = CallerPace.Subject(userRecordName: "_bob", apiToken: "api")

  /// The error if a request or its changes are throttled, or nil if they are admitted.
  private func refusal(
    _ pace: CallerPace, _ subject: CallerPace.Subject, operations: Int? = nil
  ) -> ServerError? {
    do throws(ServerError) {
      if let operations {
        try pace.admitOperations(operations, of: subject)
      } else {
        try pace.admitRequest(of: subject)
      }
      return nil
    } catch {
      return error
    }
  }

  @Test func `the rate limit admits a burst, then one request at a time`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 2, burst: 3)), ambient: clock.ambient)
    for _ in 0..<3 { #expect(refusal(pace, Self.ann) == nil) }
    let error = refusal(pace, Self.ann)
    #expect(error?.code == .throttled)
    #expect(error?.reason == LimitRule.requestsPerUser.reason)
    #expect(error?.retryAfterSeconds == 1)
    clock.move(byMilliseconds: 499)
    #expect(refusal(pace, Self.ann) != nil)
    clock.move(byMilliseconds: 1)
    #expect(refusal(pace, Self.ann) == nil)
    #expect(refusal(pace, Self.ann) != nil)
  }

  @Test func `several processes divide the rate among them`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 6, burst: 9)), ambient: clock.ambient)
    pace.share(amongNodes: 3)
    for _ in 0..<3 { #expect(refusal(pace, Self.ann) == nil) }
    #expect(refusal(pace, Self.ann) != nil)
    clock.move(byMilliseconds: 500)
    #expect(refusal(pace, Self.ann) == nil)
    #expect(refusal(pace, Self.ann) != nil)
    pace.share(amongNodes: 0)
    clock.move(byMilliseconds: 10_000)
    for _ in 0..<9 { #expect(refusal(pace, Self.ann) == nil) }
    #expect(refusal(pace, Self.ann) != nil)
  }

  @Test func `more processes than requests per second leave each process one request`() {
    let share = LimitSettings(requestsPerUser: .init(perSecond: 2, burst: 2))
      .share(amongNodes: 100)
    #expect(share.requestsPerUser == .init(perSecond: 1, burst: 1))
    #expect(share.operationsPerUser == nil)
  }

  @Test func `each user and each API token has a rate limit of its own`() {
    let pace = CallerPace(
      LimitSettings(
        requestsPerUser: .init(perSecond: 1, burst: 1),
        requestsPerAPIToken: .init(perSecond: 1, burst: 2)),
      ambient: Clock().ambient)
    #expect(refusal(pace, Self.ann) == nil)
    #expect(
      refusal(pace, Self.ann)?.reason
        == LimitRule.requestsPerUser.reason)
    // A refused request does not count against the API token's limit.
    #expect(refusal(pace, Self.bob) == nil)
    let eve = CallerPace.Subject(userRecordName: "_eve", apiToken: "api")
    #expect(
      refusal(pace, eve)?.reason
        == LimitRule.requestsPerAPIToken.reason)
    let other = CallerPace.Subject(userRecordName: "_eve", apiToken: "other")
    #expect(refusal(pace, other) == nil)
  }

  private static func otherUser(_ address: String?, _ token: String = "api") -> CallerPace.Subject {
    CallerPace.Subject(userRecordName: nil, apiToken: token, clientAddress: address)
  }

  @Test func `anonymous callers have a rate limit for each address and for each API token`() {
    let pace = CallerPace(
      LimitSettings(
        requestsPerUser: .init(perSecond: 1, burst: 1),
        requestsPerAPIToken: .init(perSecond: 1, burst: 2),
        anonymousRequestsPerAddress: .init(perSecond: 1, burst: 2),
        anonymousRequestsPerAPIToken: .init(perSecond: 1, burst: 3)),
      ambient: Clock().ambient)
    for _ in 0..<2 { #expect(refusal(pace, Self.otherUser("a")) == nil) }
    #expect(
      refusal(pace, Self.otherUser("a"))?.reason
        == LimitRule.anonymousRequestsPerAddress.reason)
    #expect(refusal(pace, Self.otherUser("b")) == nil)
    #expect(
      refusal(pace, Self.otherUser("b"))?.reason
        == LimitRule.anonymousRequestsPerAPIToken.reason)
    #expect(refusal(pace, Self.otherUser("b", "other")) == nil)
    // Signed-in users of the app keep their full limit.
    #expect(refusal(pace, Self.ann) == nil)
    #expect(refusal(pace, Self.bob) == nil)
  }

  @Test
  func `bytes and work count as further requests, and the resulting wait has an upper limit`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 10, burst: 20)), ambient: clock.ambient)
    pace.charge(bytes: Limits.bytesPerPacedRequest - 1, steps: 0, to: Self.ann)
    #expect(pace.callersCount == 0)
    pace.charge(
      bytes: 9 * Limits.bytesPerPacedRequest, steps: 10 * Limits.stepsPerPacedRequest,
      to: Self.ann)
    #expect(refusal(pace, Self.ann) == nil)
    #expect(refusal(pace, Self.ann)?.retryAfterSeconds == 1)
    pace.charge(bytes: 0, steps: .max, to: Self.ann)
    #expect(refusal(pace, Self.ann)?.retryAfterSeconds == 3)
    #expect(refusal(pace, Self.bob) == nil)
    clock.move(byMilliseconds: 3_000)
    #expect(refusal(pace, Self.ann) == nil)
  }

  @Test func `changes are counted separately from requests, and their refusal has a retry delay`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(operationsPerUser: .init(perSecond: 100, burst: 500)),
      ambient: clock.ambient)
    for _ in 0..<20 { #expect(refusal(pace, Self.ann) == nil) }
    #expect(refusal(pace, Self.ann, operations: 400) == nil)
    let error = refusal(pace, Self.ann, operations: 400)
    #expect(error?.reason == LimitRule.operationsPerUser.reason)
    #expect(error?.retryAfterSeconds == 3)
    clock.move(byMilliseconds: 3_000)
    #expect(refusal(pace, Self.ann, operations: 400) == nil)
  }

  @Test func `an unused limit allows one request with more changes than the burst`() {
    let pace = CallerPace(
      LimitSettings(operationsPerUser: .init(perSecond: 10, burst: 20)), ambient: Clock().ambient)
    #expect(refusal(pace, Self.ann, operations: 400) == nil)
    #expect(refusal(pace, Self.ann, operations: 1) != nil)
  }

  @Test func `the rate limit still works after the clock is set back`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 1, burst: 2)), ambient: clock.ambient)
    for _ in 0..<2 { _ = refusal(pace, Self.ann) }
    clock.move(byMilliseconds: -3_600_000)
    for _ in 0..<2 { #expect(refusal(pace, Self.ann) == nil) }
    #expect(refusal(pace, Self.ann)?.retryAfterSeconds == 1)
    clock.move(byMilliseconds: 1_000)
    #expect(refusal(pace, Self.ann) == nil)
  }

  @Test func `idle callers are removed from memory`() {
    let clock = Clock()
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 1, burst: 1)), ambient: clock.ambient,
      callersMax: 100)
    for number in 0..<99 {
      let subject = CallerPace.Subject(userRecordName: "_\(number)", apiToken: nil)
      #expect(refusal(pace, subject) == nil)
    }
    #expect(pace.callersCount == 99)
    clock.move(byMilliseconds: 2_000)
    let last = CallerPace.Subject(userRecordName: "_last", apiToken: nil)
    #expect(refusal(pace, last) == nil)
    #expect(pace.callersCount == 1)
    #expect(refusal(pace, last) != nil)
  }

  @Test func `the rate limit never stores more callers than its capacity`() {
    let pace = CallerPace(
      LimitSettings(requestsPerUser: .init(perSecond: 1, burst: 1)), ambient: Clock().ambient,
      callersMax: 100)
    for number in 0..<1_000 {
      let subject = CallerPace.Subject(userRecordName: "_\(number)", apiToken: nil)
      _ = refusal(pace, subject)
      #expect(pace.callersCount < 100)
    }
  }

  @Test func `requests are not limited if the settings contain no rate`() {
    let pace = CallerPace(.unpaced, ambient: Clock().ambient)
    for _ in 0..<10_000 {
      #expect(refusal(pace, Self.ann) == nil)
    }
    #expect(pace.callersCount == 0)
  }
}

@Suite struct `The rules of limits` {
  @Test(arguments: LimitRule.allCases)
  func `every limit rule has its own error reason, which ends with the rule's name`(
    rule: LimitRule
  ) {
    #expect(rule.reason.hasSuffix("(\(rule.rawValue))"))
    #expect(LimitRule(reason: rule.reason) == rule)
  }
}

@Suite struct `The writers of a zone` {
  private func place(_ zone: String, of owner: String = "_ann") -> ZoneWriters.Key {
    ZoneWriters.Key(
      store: StoreAddress(container: "iCloud.a", environment: .development),
      zone: ZoneAddress(database: .private(owner: owner), name: zone))
  }

  @Test func `each zone has a maximum number of simultaneous writers`() throws {
    let writers = ZoneWriters(countMax: 2)
    try writers.enter([place("Z")])
    try writers.enter([place("Z"), place("Y")])
    let error = #expect(throws: ServerError.self) { try writers.enter([place("X"), place("Z")]) }
    #expect(error?.code == .tryAgainLater)
    #expect(error?.reason == Reason.zoneBusy)
    #expect(error?.retryAfterSeconds == 1)
    try writers.enter([place("Z", of: "_bob")])
    try writers.enter([place("X")])
    writers.leave([place("Z"), place("Y")])
    try writers.enter([place("Z")])
    #expect(throws: ServerError.self) { try writers.enter([place("Z")]) }
  }

  @Test func `a finished writer leaves no entry for its zones`() throws {
    let writers = ZoneWriters(countMax: 2)
    try writers.enter([place("Z"), place("Y")])
    writers.leave([place("Z"), place("Y")])
    #expect(writers.zonesCount == 0)
  }
}
