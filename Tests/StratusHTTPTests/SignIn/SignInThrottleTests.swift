import Dispatch
import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusAccounts

/// The counters that slow down the guessing of passwords.
@Suite struct `The throttle of sign-ins` {
  private typealias Attempt = SignInThrottle.Attempt

  private func attempt(_ number: Int, site: String? = nil, browser: String? = nil) -> Attempt {
    Attempt(
      email: "u\(number)@example.org", browser: browser, address: "address \(number)", site: site)
  }

  @Test func `The failures of all IPv6 addresses of one site count together`() {
    let throttle = SignInThrottle()
    for number in 0..<300 { #expect(throttle.begin(attempt(number, site: "s"), now: 0) == nil) }
    #expect(throttle.begin(attempt(300, site: "s"), now: 0) == 2)
    #expect(throttle.begin(attempt(300, site: "t"), now: 0) == nil)
    #expect(throttle.begin(attempt(301), now: 0) == nil)
    #expect(throttle.begin(attempt(300, site: "s"), now: 2_000) == nil)
  }

  @Test func `A known browser is delayed only by its own failures`() {
    let throttle = SignInThrottle()
    var stranger = attempt(0, site: "s")
    for number in 0..<30 {
      stranger.email = "u\(number)@example.org"
      #expect(throttle.begin(stranger, now: 0) == nil)
    }
    #expect(throttle.begin(stranger, now: 0) == 20)
    var known = stranger
    known.browser = "anna"
    for _ in 0..<10 { #expect(throttle.begin(known, now: 0) == nil) }
    #expect(throttle.begin(known, now: 0) == 2)
  }

  @Test func `A withdrawn attempt to sign in does not count as a failure`() {
    let throttle = SignInThrottle()
    for _ in 0..<9 { #expect(throttle.begin(attempt(0), now: 0) == nil) }
    for _ in 0..<20 {
      #expect(throttle.begin(attempt(0), now: 1_000) == nil)
      throttle.withdraw(attempt(0))
    }
    #expect(throttle.begin(attempt(0), now: 1_000) == nil)
    #expect(throttle.begin(attempt(0), now: 1_000) == 2)
    // The wait counts from the last attempt that was not withdrawn.
    #expect(throttle.begin(attempt(0), now: 3_000) == nil)
    throttle.withdraw(attempt(0))
    #expect(throttle.begin(attempt(0), now: 3_000) == nil)
  }

  @Test func `A clock that is set back does not prolong a wait`() {
    let throttle = SignInThrottle()
    for _ in 0..<10 { #expect(throttle.begin(attempt(0), now: 9_000_000) == nil) }
    #expect(throttle.begin(attempt(0), now: 1_000) == 2)
    #expect(throttle.begin(attempt(0), now: 3_000) == nil)
  }

  @Test func `The failures of many other accounts do not clear the failures of one account`() {
    let throttle = SignInThrottle(entriesMax: 100)
    for number in 0..<1_000 {
      #expect(throttle.begin(attempt(number), now: Int64(number)) == nil)
      let victim = Attempt(email: "anna@example.org", browser: nil, address: nil)
      let wait = throttle.begin(victim, now: Int64(number))
      #expect((wait != nil) == (number >= 10), "\(number)")
    }
  }
}

/// The waiting places of the pool that hashes passwords.
@Suite struct `The waiting places of the password pool` {
  /// Runs a test with a pool of one thread, which is busy until `end` is called.
  private func withBusyPool(
    waitingMax: Int,
    _ body: @Sendable (PasswordPool, _ end: @Sendable () -> Void) async throws -> Void
  ) async throws {
    let pool = PasswordPool(runningMax: 1, waitingMax: waitingMax)
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.run { gate.wait() } }
      while pool.count < 1 { await LiveWire.turn() }
      let result: Result<Void, any Error>
      do { result = .success(try await body(pool) { gate.signal() }) } catch {
        result = .failure(error)
        gate.signal()
      }
      try await group.waitForAll()
      try result.get()
    }
  }

  @Test
  func `Known callers have reserved places in the queue and are served first`() async throws {
    try await withBusyPool(waitingMax: 4) { pool, end in
      let order = Order()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<3 {
          group.addTask { try await pool.run { order.add("stranger \(number)") } }
          while pool.waitingCount < number + 1 { await LiveWire.turn() }
        }
        await #expect(throws: ServerError.self) { try await pool.run {} }
        group.addTask { try await pool.run(inFront: true) { order.add("known") } }
        while pool.waitingCount < 4 { await LiveWire.turn() }
        await #expect(throws: ServerError.self) { try await pool.run(inFront: true) {} }
        end()
        try await group.waitForAll()
      }
      #expect(order.names == ["known", "stranger 0", "stranger 1", "stranger 2"])
    }
  }

  @Test func `A caller that stops waiting for the password pool causes no hash`() async throws {
    try await withBusyPool(waitingMax: 4) { pool, end in
      let task = Task { try await pool.run {} }
      while pool.waitingCount < 1 { await LiveWire.turn() }
      task.cancel()
      await #expect(throws: ServerError.self) { try await task.value }
      #expect(pool.waitingCount == 0)
      #expect(pool.count == 1)
      end()
    }
  }
}

/// The names of callers in the order of their hashes.
private final class Order: Sendable {
  private let state = Mutex<[String]>([])

  var names: [String] { state.withLock { $0 } }

  func add(_ name: String) { state.withLock { $0.append(name) } }
}
