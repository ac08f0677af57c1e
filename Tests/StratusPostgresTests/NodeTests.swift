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

    /// Returns the schemas of all stores, also of removed ones.
    private func schemas(of cluster: TestCluster) throws -> [String] {
      try cluster.withConnection { connection in
        let statement = SQLStatement(
          "SELECT nspname FROM pg_namespace WHERE nspname::TEXT LIKE ? ORDER BY nspname")
        return try connection.runApart(in: cluster.schema) { (connection) throws(ServerError) in
          try connection.all(statement, [.text("\(cluster.schema)\\_%")]) { $0.text(0) }
        }
      }
    }

    /// A dump or a long statement may still use the tables of the deleted container.
    @Test func `nodes start while the tables of a deleted container cannot be dropped`()
      async throws
    {
      try await withNodes(2) { cluster, nodes in
        _ = try await epoch(on: nodes[0])
        let known = try await nodes[1].stores.storeToRead(at: development).store
        let dump = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
        defer { dump.close() }
        try dump.beginRead(in: "\(cluster.schema)_1")
        _ = try dump.first(SQLStatement("SELECT layout FROM store"), []) { _ in true }
        try await nodes[0].stores.deleteStores(of: development.container)
        let removed = "\(cluster.schema)_1_removed"
        #expect(try schemas(of: cluster) == [removed])
        // The other node has not read the list of stores again.
        let error = await #expect(throws: ServerError.self) {
          try await known.write { (body) throws(ServerError) in
            _ = try body.createZone(named: "Lost", in: ann)
          }
        }
        #expect(error?.facts["fault"] == PostgresFailure.missingSchema)
        try await cluster.withNode { node in
          _ = try await epoch(on: node)
          let found = try schemas(of: cluster)
          #expect(found.count == 2 && found.contains(removed))
        }
        dump.rollback()
        // NB: each node tries this from time to time. While one of them does, the others skip it.
        var found = [removed]
        for _ in 0..<10_000 where found.contains(removed) {
          try? await nodes[0].stores.dropRemoved()
          found = try schemas(of: cluster)
        }
        #expect(found.count == 1 && !found.contains(removed))
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
