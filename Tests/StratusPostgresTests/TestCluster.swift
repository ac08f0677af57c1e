#if Postgres
  import Foundation
  import StratusDomain
  import StratusSQL
  import StratusSQLite
  import StratusWire
  import Synchronization
  import Testing

  @testable import StratusPostgres

  /// The PostgreSQL server of the tests. `scripts/with-postgres` starts one and sets its address.
  enum TestServer {
    static let variable = "STRATUS_TEST_POSTGRES"
    static var url: String? { ProcessInfo.processInfo.environment[variable] }
    static var isThere: Bool { url != nil }
  }

  let development = StoreAddress(container: "iCloud.org.example", environment: .development)

  /// An installation in a schema of its own, with any number of nodes.
  struct TestCluster: Sendable {
    let schema: String
    private let counter = TestCounter()
    /// The milliseconds that are added to the clock of leases.
    let ahead = TestCounter()

    var settings: PostgresSettings {
      get throws {
        var settings = PostgresSettings(url: try PostgresURL(try #require(TestServer.url)))
        settings.schema = schema
        settings.writersMax = 2
        settings.readersMax = 1
        return settings
      }
    }

    /// Starts another node.
    func node(
      _ upgrading: PostgresCluster.Upgrading = PostgresCluster.Upgrading(),
      report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> PostgresCluster {
      let (counter, ahead) = (counter, ahead)
      let number = counter.next()
      return try await PostgresCluster(
        settings: try settings,
        surroundings: .init(
          node: "node-\(number)", version: "test", now: { 0 },
          makeEpoch: { counter.next() },
          makeStandIn: { (epoch) throws(ServerError) in
            try MemoryStores.emptyStore(epoch: epoch, now: 0)
          }, report: report),
        leaseAheadMilliseconds: { ahead.value }, upgrading: upgrading)
    }

    /// Runs a part of a test with another node.
    func withNode(
      _ upgrading: PostgresCluster.Upgrading = PostgresCluster.Upgrading(),
      _ body: (PostgresCluster) async throws -> Void
    ) async throws {
      let node = try await node(upgrading)
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(node)) } catch {
        outcome = .failure(error)
      }
      await node.close()
      try outcome.get()
    }

    /// Runs a part of a test with a connection that belongs to no node.
    func withConnection<Value>(
      _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
      let connection = try PostgresConnection(to: try settings.url, name: "stratus tests")
      defer { connection.close() }
      return try body(connection)
    }
  }

  /// Returns the epoch of a database, and creates a zone in it if there is none.
  func epoch(on node: PostgresCluster) async throws -> Int64 {
    try await node.stores.store(at: development).write { (body) throws(ServerError) in
      if try body.lockZone(named: "Notes", in: .private(owner: "_ann")) == nil {
        _ = try body.createZone(named: "Notes", in: .private(owner: "_ann"))
      }
      return try body.epoch(of: .private(user: "_ann"))
    }
  }

  /// A number that several tasks count up.
  final class TestCounter: Sendable {
    private let number = Mutex<Int64>(0)

    var value: Int64 { number.withLock { $0 } }

    func next() -> Int64 { advance(by: 1) }

    @discardableResult
    func advance(by count: Int64) -> Int64 {
      number.withLock { number in
        number += count
        return number
      }
    }
  }

  private let schemas = TestCounter()
  /// A server accepts a limited number of connections, and Swift Testing starts all tests at once.
  private let turns = Turns(count: 12)

  /// Lets a limited number of tests run at the same time.
  private final class Turns: Sendable {
    private struct State {
      var free: Int
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    func wait() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.free == 0 {
            state.waiting.append(continuation)
            return false
          }
          state.free -= 1
          return true
        }
        if isFree { continuation.resume() }
      }
    }

    func signal() {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.waiting.isEmpty {
          state.free += 1
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
  }

  /// Runs a test in a new installation, and removes its schemas afterwards.
  func withCluster(_ body: (TestCluster) async throws -> Void) async throws {
    await turns.wait()
    defer { turns.signal() }
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(schemas.next())"
    let cluster = TestCluster(schema: name)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(cluster)) } catch {
      outcome = .failure(error)
    }
    try PostgresTestSchema(of: try cluster.settings).remove()
    try outcome.get()
  }

  /// Runs a test with some nodes of a new installation.
  func withNodes(
    _ count: Int, _ body: (TestCluster, [PostgresCluster]) async throws -> Void
  ) async throws {
    try await withCluster { cluster in
      var nodes: [PostgresCluster] = []
      for _ in 0..<count { nodes.append(try await cluster.node()) }
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(cluster, nodes)) } catch {
        outcome = .failure(error)
      }
      for node in nodes { await node.close() }
      try outcome.get()
    }
  }
#endif
