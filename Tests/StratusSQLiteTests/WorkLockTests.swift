import StratusConformance
import StratusDomain
import StratusWire
import Synchronization
import Testing

@Suite struct `The locks of a single process` {
  @Test(arguments: WorkLocksConformance.checks)
  func `the locks of a single process pass the conformance suite`(
    _ check: ConformanceCheck<any WorkLocks>
  ) async throws {
    try await check.run { LocalWorkLocks() }
  }
}

/// Runs the conformance suite for locks of several nodes. The sample locks show what the suite
/// requires.
@Suite struct `The locks of two processes` {
  @Test(arguments: WorkLocksConformance.checks)
  func `locks in a shared table pass the conformance suite`(
    _ check: ConformanceCheck<any WorkLocks>
  ) async throws {
    try await check.run { TableOfLocks().locks(of: 1) }
  }

  @Test(arguments: WorkLocksConformance.pairChecks)
  func `locks in a shared table pass the conformance suite for several processes`(
    _ check: ConformanceCheck<WorkLocksPair>
  ) async throws {
    try await check.run {
      let table = TableOfLocks()
      return WorkLocksPair(one: table.locks(of: 1), other: table.locks(of: 2)) { seconds in
        table.pass(seconds)
      }
    }
  }

  /// Every process always gets these locks.
  @Test func `locks that exclude no process fail the conformance suite`() async throws {
    var failed = 0
    for check in WorkLocksConformance.pairChecks {
      do {
        try await check.run {
          WorkLocksPair(one: LocalWorkLocks(), other: LocalWorkLocks()) { _ in }
        }
      } catch { failed += 1 }
    }
    #expect(failed >= 3)
  }
}

/// A table of locks and leases that several processes share.
private final class TableOfLocks: Sendable {
  private struct Key: Hashable {
    let work: BackgroundWork
    let address: StoreAddress
  }

  private struct State {
    var locked: Set<Key> = []
    var leases: [Key: (holder: Int, until: Int64)] = [:]
    var now: Int64 = 0
  }

  private let state = Mutex(State())

  func pass(_ seconds: Int64) { state.withLock { $0.now += seconds } }

  func locks(of process: Int) -> any WorkLocks { Locks(table: self, process: process) }

  private struct Locks: WorkLocks {
    let table: TableOfLocks
    let process: Int

    func withLock<Value: Sendable>(
      on work: BackgroundWork, at address: StoreAddress,
      _ step: @Sendable () async throws(ServerError) -> Value
    ) async throws(ServerError) -> Value? {
      let key = Key(work: work, address: address)
      guard table.state.withLock({ $0.locked.insert(key).inserted }) else { return nil }
      defer { table.state.withLock { _ = $0.locked.remove(key) } }
      return try await step()
    }

    func lease(
      _ work: BackgroundWork, at address: StoreAddress
    ) async throws(ServerError) -> Bool {
      let key = Key(work: work, address: address)
      return table.state.withLock { state in
        if let held = state.leases[key], held.holder != process, state.now < held.until {
          return false
        }
        state.leases[key] = (process, state.now + BackgroundWork.leaseSeconds)
        return true
      }
    }
  }
}
