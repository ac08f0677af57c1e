#if Postgres
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  @Suite(.enabled(if: TestServer.isThere)) struct `The beginning of a subscription` {
    /// The entry gets its number before the subscription is saved, and is committed afterwards.
    @Test func `a subscription waits for outbox entries with lower numbers`() async throws {
      try await withNodes(1) { cluster, nodes in
        let store = try await nodes[0].stores.openStore(at: development)
        let url = try cluster.settings.url
        let writer = try PostgresConnection(to: url, name: "stratus tests")
        defer { writer.close() }
        let watcher = try PostgresConnection(to: url, name: "stratus tests")
        defer { watcher.close() }
        try writer.beginWrite(in: store.engine.schema, locks: [])
        try writer.queue(SQLStatement { $0.sharedKeys?.share("outbox") ?? "" }, [])
        let drawn = try writer.first(
          SQLStatement("SELECT nextval(pg_get_serial_sequence('outbox', 'entry'))"), []
        ) { $0.integer(0) }
        let key = WatchKey(
          key: SubscriptionKey(bytes: [9]), subject: .records(type: "Note", field: nil))
        let view = DatabaseView.private(user: "_ann")
        async let saved: Void = store.write { (body) throws(ServerError) in
          try body.save(
            Subscription(id: "s", .database(recordType: nil)), of: "_ann", in: view, under: key)
        }
        let waiting = SQLStatement(
          """
          SELECT COUNT(*) FROM pg_locks
          WHERE locktype = 'advisory' AND objsubid = 2 AND NOT granted
          """)
        var isWaiting = false
        for _ in 0..<10_000 where !isWaiting {
          isWaiting = try watcher.first(waiting, []) { $0.integer(0) > 0 } ?? false
          await Task.yield()
        }
        #expect(isWaiting)
        guard case .committed = writer.commit() else {
          Issue.record("the entry is not committed")
          return
        }
        try await saved
        let since = try await store.read { (body) throws(ServerError) in
          try body.subscription(id: "s", of: "_ann", in: view)?.since
        }
        #expect(since == drawn)
      }
    }
  }
#endif
