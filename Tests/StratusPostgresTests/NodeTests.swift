#if Postgres
  import StratusConformance
  import StratusDomain
  import StratusSQL
  import StratusWire
  import Testing

  @testable import StratusPostgres

  @Suite struct `The text of a statement` {
    @Test func `the placeholders of a statement are numbered, except in a text constant`() {
      #expect(
        PostgresStatements.numbered("SELECT '?' FROM t WHERE a = ? AND b = ?")
          == "SELECT '?' FROM t WHERE a = $1 AND b = $2")
    }

    @Test func `a PostgreSQL address that contains a password is refused`() {
      #expect(throws: PostgresURL.Fault.self) {
        try PostgresURL("postgres://stratus:secret@127.0.0.1/stratus")
      }
    }

    @Test func `the number of a lock depends on every part of its name and on their boundaries`() {
      #expect(PostgresLockNumber.of(["a"]) == PostgresLockNumber.of(["a"]))
      #expect(PostgresLockNumber.of(["a", "b"]) != PostgresLockNumber.of(["ab"]))
    }
  }

  @Suite(.enabled(if: TestServer.isThere)) struct `Nodes` {
    private let ann = DatabaseKey.private(owner: "_ann")

    @Test func `a node finds the store that another node has created`() async throws {
      try await withNodes(2) { _, nodes in
        let epoch = try await nodes[0].stores.store(at: development).write {
          (body) throws(ServerError) in
          _ = try body.createZone(named: "Notes", in: ann)
          return try body.epoch(of: .private(user: "_ann"))
        }
        let (store, isStandIn) = try await nodes[1].stores.storeToRead(at: development)
        #expect(!isStandIn)
        #expect(
          try await store.read { (body) throws(ServerError) in
            try body.epoch(of: .private(user: "_ann"))
          } == epoch)
      }
    }

    @Test func `a signal of one node reaches the other node`() async throws {
      try await withNodes(2) { _, nodes in
        let (here, there) = (nodes[0].signals("changes"), nodes[1].signals("changes"))
        // NB: a signal may be lost while the other node begins to listen, so it is repeated.
        let sending = Task {
          while !Task.isCancelled {
            here.send(StoreSignal(development))
            await Task.yield()
          }
        }
        let received = await there.received.first { _ in true }
        sending.cancel()
        #expect(received == StoreSignal(development))
      }
    }

    @Test func `a node finds out whether a commit of a lost connection succeeded`() async throws {
      try await withNodes(1) { cluster, _ in
        let url = try PostgresURL(try #require(TestServer.url))
        let commits = PostgresCommits(node: "node-1", schema: cluster.schema)
        let connection = try PostgresConnection(to: url, name: "stratus tests")
        try commits.register(connection)
        try connection.beginWrite(in: cluster.schema, locks: [])
        try connection.execute(
          SQLStatement("INSERT INTO containers (id) VALUES (?)"), [.text("iCloud.a")])
        guard case .committed = connection.commit(numbering: commits.statement) else {
          Issue.record("the commit failed")
          return
        }
        let (writer, newest) = (connection.writer, connection.commits)
        connection.close()
        let connector = PostgresConnector(name: "stratus tests", url: url) { _ in }
        defer { connector.close() }
        #expect(commits.hasCommitted(newest, of: writer, on: connector) == true)
        // The row is removed now, so nothing is known about later commits.
        #expect(commits.hasCommitted(newest + 1, of: writer, on: connector) == nil)
      }
    }

    /// Otherwise a paused node would keep the lock of a zone for as long as it is paused.
    @Test func `PostgreSQL ends a transaction that waits for its node, and releases its locks`()
      async throws
    {
      try await withNodes(1) { cluster, _ in
        let url = try PostgresURL(try #require(TestServer.url))
        let lock = PostgresLockNumber.of(["paused", cluster.schema])
        let insert = SQLStatement("INSERT INTO containers (id) VALUES (?)")
        let paused = try PostgresConnection(to: url, name: "stratus tests")
        defer { paused.close() }
        try paused.define("SET idle_in_transaction_session_timeout = '200ms'")
        try paused.beginWrite(in: cluster.schema, locks: [lock])
        try paused.execute(insert, [.text("iCloud.paused")])
        let other = try PostgresConnection(to: url, name: "stratus tests")
        defer { other.close() }
        try other.beginWrite(in: cluster.schema, locks: [lock])
        try other.execute(insert, [.text("iCloud.other")])
        try other.commit().require()
        #expect(throws: ServerError.self) { try paused.commit().require() }
      }
    }

    @Test func `a connection without a row in the table of writers commits nothing`() async throws {
      try await withNodes(1) { cluster, nodes in
        let url = try PostgresURL(try #require(TestServer.url))
        let commits = PostgresCommits(node: "node-1", schema: cluster.schema)
        let connection = try PostgresConnection(to: url, name: "stratus tests")
        defer { connection.close() }
        try commits.register(connection)
        let connector = PostgresConnector(name: "stratus tests", url: url) { _ in }
        defer { connector.close() }
        #expect(commits.hasCommitted(1, of: connection.writer, on: connector) == false)
        try connection.beginWrite(in: cluster.schema, locks: [])
        try connection.execute(
          SQLStatement("INSERT INTO containers (id) VALUES (?)"), [.text("iCloud.b")])
        guard case .failed(let failure) = connection.commit(numbering: commits.statement) else {
          Issue.record("the commit succeeded")
          return
        }
        #expect(failure.isLoss)
        #expect(try await nodes[0].registry.containers() == [])
      }
    }
  }
#endif
