public import StratusDomain
import StratusWire
import Synchronization

/// The work locks of two processes that serve the same stores.
public struct WorkLocksPair: Sendable {
  public var one: any WorkLocks
  public var other: any WorkLocks
  /// Advances the clock of the leases by a number of seconds.
  public var pass: @Sendable (_ seconds: Int64) async -> Void

  public init(
    one: any WorkLocks, other: any WorkLocks, pass: @escaping @Sendable (Int64) async -> Void
  ) {
    self.one = one
    self.other = other
    self.pass = pass
  }
}

/// Checks what the port `WorkLocks` guarantees.
public enum WorkLocksConformance {
  /// The checks that use one process. Locks for a server with only one process must pass these
  /// checks. They need not pass ``pairChecks``.
  public static let checks: [ConformanceCheck<any WorkLocks>] = [
    .init("a step runs, and its result is returned to the caller", stepsRun),
    .init("an error of a step is thrown to the caller, and the lock is free", errorsArePassedOn),
    .init("a process can renew its lease", leasesAreRenewed),
  ]

  /// Checks with two processes.
  public static let pairChecks: [ConformanceCheck<WorkLocksPair>] = [
    .init("while one process runs a step, the other one cannot run the same work", stepsExclude),
    .init("different work, and the same work in another store, can run at once", otherWorkIsFree),
    .init("a lock is free after a step, even if the step failed", locksAreReleased),
    .init("of many steps that begin at the same time, only one runs at a time", oneStepAtATime),
    .init("two processes cannot hold the same lease", leasesExclude),
    .init("a lease that is not renewed expires", leasesEnd),
    .init("leases for different work or stores do not exclude each other", leasesAreSeparate),
  ]

  private static let place = StoreAddress(
    container: "iCloud.org.example", environment: .production)
  private static let elsewhere = StoreAddress(
    container: "iCloud.org.example", environment: .development)
  private static let failure = ServerError(.accessDenied, Reason.accessDenied)

  static func stepsRun(_ locks: any WorkLocks) async throws {
    for number in 1...3 {
      let result = try await locks.withLock(on: .cascades, at: place) {
        () throws(ServerError) in number
      }
      try expect(result, number)
    }
  }

  static func errorsArePassedOn(_ locks: any WorkLocks) async throws {
    for _ in 0..<2 { try expect(await code(of: locks), .accessDenied) }
    let result = try await locks.withLock(on: .cascades, at: place) {
      () throws(ServerError) in true
    }
    try expect(result, true)
  }

  static func leasesAreRenewed(_ locks: any WorkLocks) async throws {
    for _ in 0..<3 { try expect(try await locks.lease(.push, at: place), true) }
  }

  static func stepsExclude(_ pair: WorkLocksPair) async throws {
    for (one, other) in [(pair.one, pair.other), (pair.other, pair.one)] {
      let inner = try await one.withLock(on: .matching, at: place) { () throws(ServerError) in
        try await other.withLock(on: .matching, at: place) { () throws(ServerError) in true }
      }
      try expect(inner, .some(nil))
    }
  }

  static func otherWorkIsFree(_ pair: WorkLocksPair) async throws {
    let found = try await pair.one.withLock(on: .matching, at: place) {
      () throws(ServerError) in
      [
        try await pair.other.withLock(on: .cascades, at: place) { () throws(ServerError) in true },
        try await pair.other.withLock(on: .matching, at: elsewhere) {
          () throws(ServerError) in true
        },
      ]
    }
    try expect(found, [true, true])
  }

  static func locksAreReleased(_ pair: WorkLocksPair) async throws {
    _ = try await pair.one.withLock(on: .cascades, at: place) { () throws(ServerError) in true }
    try expect(await code(of: pair.one), .accessDenied)
    let result = try await pair.other.withLock(on: .cascades, at: place) {
      () throws(ServerError) in true
    }
    try expect(result, true)
  }

  /// Only some of the steps run, because the others find the lock taken.
  static func oneStepAtATime(_ pair: WorkLocksPair) async throws {
    let running = Counts()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<40 {
        group.addTask {
          let locks = index.isMultiple(of: 2) ? pair.one : pair.other
          _ = try? await locks.withLock(on: .zonePurge, at: place) { () throws(ServerError) in
            running.enter()
            await Task.yield()
            running.leave()
          }
        }
      }
    }
    try expect(running.most, 1)
  }

  static func leasesExclude(_ pair: WorkLocksPair) async throws {
    var found: [Bool] = []
    for locks in [pair.one, pair.other, pair.one, pair.other] {
      found.append(try await locks.lease(.push, at: place))
    }
    try expect(found, [true, false, true, false])
  }

  /// The first holder renews its lease once, and then stops. The first two pauses together are
  /// longer than a lease. Each of them is so short that a slow machine does not end the lease.
  static func leasesEnd(_ pair: WorkLocksPair) async throws {
    let most = BackgroundWork.leaseSeconds
    try expect(try await pair.one.lease(.push, at: place), true)
    await pair.pass(most / 2 + 1)
    try expect(try await pair.one.lease(.push, at: place), true)
    await pair.pass(most / 2 + 1)
    try expect(try await pair.other.lease(.push, at: place), false)
    await pair.pass(most)
    try expect(try await pair.other.lease(.push, at: place), true)
    try expect(try await pair.one.lease(.push, at: place), false)
  }

  static func leasesAreSeparate(_ pair: WorkLocksPair) async throws {
    try expect(try await pair.one.lease(.push, at: place), true)
    try expect(try await pair.other.lease(.push, at: elsewhere), true)
    try expect(try await pair.other.lease(.assetSweep, at: place), true)
  }

  /// Runs a step that fails. Returns the code of the error that the caller gets, or nil if there is
  /// none.
  private static func code(of locks: any WorkLocks) async -> ErrorCode? {
    do throws(ServerError) {
      _ = try await locks.withLock(on: .cascades, at: place) { () throws(ServerError) -> Bool in
        throw failure
      }
      return nil
    } catch {
      return error.code
    }
  }
}

/// Counts the steps that run at the same time.
private final class Counts: Sendable {
  private let counts = Mutex((now: 0, most: 0))

  var most: Int { counts.withLock(\.most) }

  func enter() {
    counts.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func leave() { counts.withLock { $0.now -= 1 } }
}
