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

    /// Starts another node.
    func node() async throws -> PostgresCluster {
      var settings = PostgresSettings(url: try PostgresURL(try #require(TestServer.url)))
      settings.schema = schema
      // NB: with one connection of each kind, a test can read all prepared statements.
      settings.writersMax = 2
      settings.readersMax = 1
      let (counter, ahead) = (counter, ahead)
      let number = counter.next()
      return try await PostgresCluster(
        settings: settings,
        surroundings: .init(
          node: "node-\(number)", version: "test", now: { 1_000 },
          makeEpoch: { counter.next() },
          makeStandIn: { (epoch) throws(ServerError) in
            try MemoryStores.emptyStore(epoch: epoch, now: 1_000)
          }, report: { _ in }),
        leaseAheadMilliseconds: { ahead.value })
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

  /// Runs a test in a new installation, and removes its schemas afterwards.
  func withCluster(_ body: (TestCluster) async throws -> Void) async throws {
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(schemas.next())"
    let cluster = TestCluster(schema: name)
    do { try await body(cluster) } catch {
      try drop(name)
      throw error
    }
    try drop(name)
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

  private func drop(_ schema: String) throws {
    let connection = try PostgresConnection(
      to: try PostgresURL(try #require(TestServer.url)), name: "stratus tests")
    defer { connection.close() }
    try connection.define(
      """
      DO $$ DECLARE found TEXT; BEGIN
        FOR found IN SELECT nspname FROM pg_namespace
          WHERE nspname = '\(schema)' OR nspname ~ '^\(schema)_[0-9]+$'
        LOOP EXECUTE format('DROP SCHEMA %I CASCADE', found); END LOOP;
      END $$;
      """)
  }
#endif
