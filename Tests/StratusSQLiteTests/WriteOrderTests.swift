import Foundation
import StratusDomain
import Synchronization
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Checks the order in which a store runs the writes of two callers.
@Suite(.timeLimit(.minutes(15))) struct `The order of writes` {
  private static let bob = WriteOrigin(caller: "bob", isExpensive: false)
  private static let ann = WriteOrigin(caller: "ann", isExpensive: true)

  @Test
  func `an expensive save waits after a long one of its caller, and other saves do not`()
    async throws
  {
    let clock = ManualClock()
    try await withOrderedStore(clock) { store in
      @Sendable func save(
        _ name: String, from origin: WriteOrigin, milliseconds: Int64 = 0
      ) async throws(ServerError) {
        try await origin.perform { () async throws(ServerError) in
          try await store.write { (_) throws(ServerError) in
            clock.move(byMilliseconds: milliseconds)
          }
          clock.note(name)
        }
      }
      try await save("bob 1", from: Self.bob)
      try await save("ann 1", from: Self.ann, milliseconds: 100)
      let second = Task { try await save("ann 2", from: Self.ann) }
      await clock.waitForSleeper()
      try await save("bob 2", from: Self.bob)
      try await save("bob 3", from: Self.bob)
      #expect(clock.names == ["bob 1", "ann 1", "bob 2", "bob 3"])
      clock.move(byMilliseconds: 2_000)
      clock.wakeSleepers()
      try await second.value
      #expect(clock.names.last == "ann 2")
    }
  }

  @Test func `a store that closes runs the saves that wait for the end of a pause`() async throws {
    let clock = ManualClock()
    try await withOrderedStore(clock) { store in
      @Sendable func save(_ origin: WriteOrigin, milliseconds: Int64 = 0) async throws(ServerError)
      {
        try await origin.perform { () async throws(ServerError) in
          try await store.write { (_) throws(ServerError) in
            clock.move(byMilliseconds: milliseconds)
          }
        }
      }
      try await save(Self.bob)
      try await save(Self.ann, milliseconds: 100)
      let second = Task { try await save(Self.ann) }
      await clock.waitForSleeper()
      await store.engine.close()
      try await second.value
    }
  }

  private func withOrderedStore(
    _ clock: ManualClock, _ body: (SQLiteStore) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { url in
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let path = url.appendingPathComponent("store.sqlite").path
      let store = SQLiteStore(
        engine: try SQLiteFile(path: path, clock: clock.writeClock) {
          (connection) throws(ServerError) in
          try StoreTables.prepare(on: connection, makeEpoch: { 7 })
        })
      do { try await body(store) } catch {
        await store.engine.close()
        throw error
      }
      await store.engine.close()
    }
  }
}

/// A clock that the test moves, and a list of the saves that have ended.
private final class ManualClock: Sendable {
  private struct State {
    var nanoseconds: Int64 = 0
    var sleepers: [@Sendable () -> Void] = []
    var names: [String] = []
  }

  private let state = Mutex(State())

  var writeClock: WriteClock {
    WriteClock(stopwatch: { self.state.withLock { $0.nanoseconds } }) { _, body in
      self.state.withLock { $0.sleepers.append(body) }
    }
  }

  var names: [String] { state.withLock { $0.names } }

  func note(_ name: String) { state.withLock { $0.names.append(name) } }

  func move(byMilliseconds span: Int64) { state.withLock { $0.nanoseconds += span * 1_000_000 } }

  /// Waits until a writer sleeps until the end of a pause.
  func waitForSleeper() async {
    while state.withLock({ $0.sleepers.isEmpty }) { await Task.yield() }
  }

  func wakeSleepers() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [] }
      return state.sleepers
    }
    for sleeper in sleepers { sleeper() }
  }
}
