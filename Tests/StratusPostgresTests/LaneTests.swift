#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire
  import Testing

  @testable import StratusPostgres

  /// A writer gets the bodies of two lanes.
  @Suite(.enabled(if: TestServer.isThere)) struct `A transaction of several lanes` {
    private static let refusal = ServerError(.accessDenied, Reason.accessDenied)
    private static let insert = SQLStatement("INSERT INTO containers (id) VALUES (?)")

    private func withWriter(
      _ body: (PostgresWriter, TestCluster, PostgresCluster) async throws -> Void
    ) async throws {
      try await withNodes(1) { cluster, nodes in
        let commits = PostgresCommits(node: "node-1", schema: cluster.schema)
        let connector = PostgresConnector(
          name: "stratus tests", url: try cluster.settings.url
        ) { (connection) throws(ServerError) in try commits.register(connection) }
        let writer = PostgresWriter(connector: connector, commits: commits, number: 0)
        defer { writer.close() }
        try await body(writer, cluster, nodes[0])
      }
    }

    /// Returns a body that adds a container.
    private func adding(
      _ container: String, lock: Int, in cluster: TestCluster, throwing error: ServerError? = nil
    ) -> LaneJob {
      LaneJob(in: cluster.schema, lock: lock) { (connection, _) throws(ServerError) in
        try connection.queue(Self.insert, [.text(container)], expecting: nil)
        if let error { throw error }
      }
    }

    @Test func `the bodies of two lanes share a transaction`() async throws {
      try await withWriter { writer, cluster, node in
        let one = adding("iCloud.one", lock: 1, in: cluster)
        let other = adding("iCloud.other", lock: 2, in: cluster)
        writer.run([[one], [other]]) {}
        #expect(one.failures == [nil])
        #expect(other.failures == [nil])
        #expect(one.transactions.count == 1)
        #expect(one.transactions == other.transactions)
        let containers = try await node.registry.containers()
        #expect(Set(containers) == ["iCloud.one", "iCloud.other"])
      }
    }

    @Test func `a body that throws after it has written undoes no body of another lane`()
      async throws
    {
      try await withWriter { writer, cluster, node in
        let one = adding("iCloud.one", lock: 1, in: cluster)
        let other = adding("iCloud.other", lock: 2, in: cluster, throwing: Self.refusal)
        writer.run([[one], [other]]) {}
        #expect(one.failures == [nil])
        #expect(other.failures == [Self.refusal])
        #expect(one.transactions.last != other.transactions.last)
        let containers = try await node.registry.containers()
        #expect(containers == ["iCloud.one"])
      }
    }

    @Test func `a body that throws before it writes stays in the transaction`() async throws {
      try await withWriter { writer, cluster, node in
        let one = adding("iCloud.one", lock: 1, in: cluster)
        let other = LaneJob(in: cluster.schema, lock: 2) { (_, _) throws(ServerError) in
          throw Self.refusal
        }
        writer.run([[one], [other]]) {}
        #expect(one.failures == [nil])
        #expect(other.failures == [Self.refusal])
        #expect(one.transactions.count == 1)
        let containers = try await node.registry.containers()
        #expect(containers == ["iCloud.one"])
      }
    }

    @Test func `after a conflict, the lanes run in one transaction again`() async throws {
      let transactions = try await transactionsOfTwoLanes(conflicts: 1)
      #expect(transactions.one.count == 2)
      #expect(transactions.one == transactions.conflicting)
    }

    @Test func `after several conflicts, each lane runs in a transaction of its own`()
      async throws
    {
      let count = PostgresLimits.attemptsTogether
      let transactions = try await transactionsOfTwoLanes(conflicts: count)
      #expect(transactions.one.count == count + 1)
      #expect(transactions.conflicting.count == count + 1)
      #expect(transactions.one.prefix(count) == transactions.conflicting.prefix(count))
      #expect(transactions.one.last != transactions.conflicting.last)
    }

    /// Runs the bodies of two lanes. In the first attempts, another connection changes the row of
    /// the second body after the snapshot of the transaction.
    private func transactionsOfTwoLanes(
      conflicts: Int
    ) async throws -> (one: [Int64?], conflicting: [Int64?]) {
      var transactions: (one: [Int64?], conflicting: [Int64?]) = ([], [])
      try await withWriter { writer, cluster, node in
        let other = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
        defer { other.close() }
        let table = "\"\(cluster.schema)\".numbers"
        try other.define(
          "CREATE TABLE \(table) (number BIGINT); INSERT INTO \(table) (number) VALUES (0);")
        let one = adding("iCloud.one", lock: 1, in: cluster)
        let conflicting = LaneJob(in: cluster.schema, lock: 2) {
          (connection, attempt) throws(ServerError) in
          if attempt <= conflicts {
            try other.define("UPDATE \(table) SET number = number + 1;")
          }
          try connection.execute(SQLStatement("UPDATE numbers SET number = number + 10"), [])
        }
        writer.run([[one], [conflicting]]) {}
        #expect(one.failures == [nil])
        #expect(conflicting.failures == [nil])
        let number = try other.first(SQLStatement("SELECT number FROM \(table)"), []) {
          $0.integer(0)
        }
        #expect(number == Int64(conflicts + 10))
        let containers = try await node.registry.containers()
        #expect(containers == ["iCloud.one"])
        transactions = (one.transactions, conflicting.transactions)
      }
      return transactions
    }

    /// Another connection holds the lock of the first lane until the second one has ended.
    @Test func `a lane does not wait for the lock of another lane`() async throws {
      try await withWriter { writer, cluster, node in
        let holder = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
        defer { holder.close() }
        let lock = LaneJob.number(of: 1, in: cluster.schema)
        try holder.beginWrite(in: cluster.schema, locks: [lock])
        _ = try holder.first(LaneJob.current, []) { $0.integer(0) }
        let one = adding("iCloud.one", lock: 1, in: cluster)
        let other = adding("iCloud.other", lock: 2, in: cluster)
        other.whenFinished = { holder.rollback() }
        writer.run([[one], [other]]) {}
        #expect(one.failures == [nil])
        #expect(other.failures == [nil])
        #expect(one.transactions.last != other.transactions.last)
        let containers = try await node.registry.containers()
        #expect(Set(containers) == ["iCloud.one", "iCloud.other"])
      }
    }

    @Test func `a transaction that does not wait fails at a lock that is held, and keeps no lock`()
      async throws
    {
      try await withCluster { cluster in
        let url = try cluster.settings.url
        let locks = (1...3).map { LaneJob.number(of: $0, in: cluster.schema) }
        let holder = try PostgresConnection(to: url, name: "stratus tests")
        defer { holder.close() }
        try holder.beginWrite(in: "public", locks: [locks[1]])
        _ = try holder.first(LaneJob.current, []) { $0.integer(0) }
        let connection = try PostgresConnection(to: url, name: "stratus tests")
        defer { connection.close() }
        try connection.beginWrite(in: "public", locks: locks, waitsForLocks: false)
        #expect(throws: ServerError.self) {
          _ = try connection.first(LaneJob.current, []) { $0.integer(0) }
        }
        let kind = try #require(connection.failure?.kind)
        guard case .held = kind else {
          Issue.record("the transaction has waited for the lock")
          return
        }
        connection.rollback()
        #expect(try locksCount(of: connection) == 0)
        try holder.commit().require()
        // NB: PostgreSQL answers the commit before it releases the lock.
        #expect(try locksCount(of: holder) == 0)
        try connection.beginWrite(in: "public", locks: locks, waitsForLocks: false)
        #expect(try locksCount(of: connection) == 3)
        try connection.commit().require()
        #expect(try locksCount(of: connection) == 0)
      }
    }

    @Test func `a transaction takes all of its locks, and releases them after the commit`()
      async throws
    {
      try await withCluster { cluster in
        let connection = try PostgresConnection(
          to: try cluster.settings.url, name: "stratus tests")
        defer { connection.close() }
        for count in [0, 1, 3] {
          let locks = (0..<count).map { LaneJob.number(of: $0, in: cluster.schema) }
          try connection.beginWrite(in: "public", locks: locks)
          #expect(try locksCount(of: connection) == Int64(count))
          try connection.commit().require()
          #expect(try locksCount(of: connection) == 0)
        }
      }
    }

    /// Returns the number of advisory locks of a connection. Outside of a transaction, the
    /// statement is a transaction of its own.
    private func locksCount(of connection: PostgresConnection) throws -> Int64? {
      let count = SQLStatement(
        """
        SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
        """)
      if connection.isInTransaction { return try connection.first(count, []) { $0.integer(0) } }
      return try connection.runApart(in: "public") { (connection) throws(ServerError) in
        try connection.first(count, []) { $0.integer(0) }
      }
    }
  }

  /// A body whose attempts a test can follow.
  ///
  /// NB: `@unchecked` is safe, because only the thread of the test uses the body.
  private final class LaneJob: PostgresJob, @unchecked Sendable {
    /// Reads the number of the present transaction.
    static let current = SQLStatement("SELECT txid_current()")

    /// NB: all tests use one database, which has its advisory locks in common.
    static func number(of lock: Int, in schema: String) -> Int64 {
      PostgresLockNumber.of(["test", schema, "\(lock)"])
    }

    let schema: String
    let locks: [Int64]
    let order = ""
    /// The transactions in which the body was run.
    private(set) var transactions: [Int64?] = []
    /// The errors with which the caller was resumed. There must be one element, which may be nil.
    private(set) var failures: [ServerError?] = []
    var whenFinished: () -> Void = {}
    private let body: (PostgresConnection, _ attempt: Int) throws(ServerError) -> Void

    init(
      in schema: String, lock: Int,
      _ body: @escaping (PostgresConnection, _ attempt: Int) throws(ServerError) -> Void
    ) {
      self.schema = schema
      locks = [Self.number(of: lock, in: schema)]
      self.body = body
    }

    func begin(on connection: PostgresConnection) {}

    func attempt(on connection: PostgresConnection) -> ServerError? {
      do throws(ServerError) {
        transactions.append(try connection.first(Self.current, []) { $0.integer(0) })
        try body(connection, transactions.count)
        return nil
      } catch {
        return error
      }
    }

    func finish(failure: ServerError?) {
      failures.append(failure)
      whenFinished()
    }

    func forget(on connection: PostgresConnection) {}
  }
#endif
