#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire
  import Synchronization
  import Testing

  @testable import StratusPostgres

  @Suite(.enabled(if: TestServer.isThere)) struct Failovers {
    /// Runs a node, and returns the epoch of a database.
    private func epochOfNewNode(of cluster: TestCluster) async throws -> Int64 {
      let node = try await cluster.node()
      let outcome: Result<Int64, any Error>
      do { outcome = .success(try await epoch(on: node)) } catch { outcome = .failure(error) }
      await node.close()
      return try outcome.get()
    }

    /// The test changes the timeline's number in the table. PostgreSQL's timeline stays the same,
    /// and is then unknown to the nodes.
    @Test func `all change tokens expire if a node starts on an unknown timeline`() async throws {
      try await withCluster { cluster in
        let first = try await epochOfNewNode(of: cluster)
        #expect(try await epochOfNewNode(of: cluster) == first)
        let connection = try PostgresConnection(
          to: try cluster.settings.url, name: "stratus tests")
        defer { connection.close() }
        try connection.define(
          "UPDATE \"\(cluster.schema)\".timelines SET timeline = timeline + 100;")
        let second = try await epochOfNewNode(of: cluster)
        #expect(second != first)
        #expect(try await epochOfNewNode(of: cluster) == second)
      }
    }

    /// The node believes that it was connected to a later timeline. A faulty program that manages
    /// the cluster may switch back to the earlier server. The writes of the later timeline are then
    /// lost.
    @Test func `all change tokens expire if the cluster returns to an earlier timeline`()
      async throws
    {
      try await withNodes(1) { cluster, nodes in
        let first = try await epoch(on: nodes[0])
        let timelines = nodes[0].heartbeat.timelines
        timelines.known.withLock { $0?.timeline.number += 1 }
        let connection = try PostgresConnection(
          to: try cluster.settings.url, name: "stratus tests")
        defer { connection.close() }
        try timelines.check(connection)
        let second = try await epoch(on: nodes[0])
        #expect(second != first)
        try timelines.check(connection)
        #expect(try await epoch(on: nodes[0]) == second)
      }
    }

    /// Each connection of each node finds that the later timeline is gone. If each of them renewed
    /// the epochs, clients would fetch everything again and again.
    @Test func `the loss of a timeline renews the epochs once, although two nodes notice it`()
      async throws
    {
      try await withNodes(2) { cluster, nodes in
        let first = try await epoch(on: nodes[0])
        for node in nodes { node.heartbeat.timelines.known.withLock { $0?.timeline.number += 1 } }
        try cluster.withConnection { try nodes[0].heartbeat.timelines.check($0) }
        let second = try await epoch(on: nodes[0])
        #expect(second != first)
        try cluster.withConnection { try nodes[1].heartbeat.timelines.check($0) }
        #expect(try await epoch(on: nodes[1]) == second)
        // The second node was connected to a further lost timeline, which is not noted.
        nodes[1].heartbeat.timelines.known.withLock { $0?.timeline.number += 2 }
        try cluster.withConnection { try nodes[1].heartbeat.timelines.check($0) }
        #expect(try await epoch(on: nodes[1]) != second)
      }
    }

    /// The node was silent, and a later version has upgraded the store meanwhile.
    @Test func `a node renews no epochs in tables that a later version has upgraded`() async throws
    {
      try await withNodes(1) { cluster, nodes in
        let first = try await epoch(on: nodes[0])
        let (timelines, layouts) = (nodes[0].heartbeat.timelines, "\"\(cluster.schema)\".layouts")
        timelines.known.withLock { $0?.timeline.number += 1 }
        try cluster.withConnection { connection in
          let change = "UPDATE \(layouts) SET layout = layout"
          try connection.define("\(change) + 1 WHERE schema <> '\(cluster.schema)';")
          let error = #expect(throws: ServerError.self) { try timelines.check(connection) }
          #expect(error?.facts["fault"] == PostgresFailure.laterStore)
          try connection.define("\(change) - 1 WHERE schema <> '\(cluster.schema)';")
        }
        // A heartbeat may have found the later layout.
        try await nodes[0].stores.refresh()
        #expect(try await epoch(on: nodes[0]) == first)
        // Nothing was noted, so the epochs are renewed now.
        try cluster.withConnection { try timelines.check($0) }
        #expect(try await epoch(on: nodes[0]) != first)
      }
    }

    @Test func `a damaged store does not keep the epochs of other stores from being renewed`()
      async throws
    {
      try await withNodes(1) { cluster, nodes in
        let first = try await epoch(on: nodes[0])
        let other = StoreAddress(container: "iCloud.org.other", environment: .development)
        let damaged = try await nodes[0].stores.openStore(at: other).engine.schema
        let timelines = nodes[0].heartbeat.timelines
        timelines.known.withLock { $0?.timeline.number += 1 }
        try cluster.withConnection { connection in
          try connection.define("DROP TABLE \"\(damaged)\".databases CASCADE;")
          try timelines.check(connection)
        }
        let second = try await epoch(on: nodes[0])
        #expect(second != first)
        try await nodes[0].stores.refresh()
        #expect(nodes[0].stores.damagedStores == [other])
      }
    }

    /// The body reads nothing, so it does not wait for its locks before it commits.
    @Test func `a write whose lock is not granted in time stores nothing`() async throws {
      try await withNodes(1) { cluster, nodes in
        let url = try cluster.settings.url
        let other = try PostgresConnection(to: url, name: "stratus tests")
        defer { other.close() }
        let lock = PostgresLockNumber.of(["test", cluster.schema])
        try other.define("SELECT pg_advisory_lock(\(lock));")
        let connection = try PostgresConnection(to: url, name: "stratus tests")
        defer { connection.close() }
        try connection.define("SET lock_timeout = '20ms';")
        try connection.beginWrite(in: cluster.schema, locks: [lock])
        try connection.queue(
          SQLStatement("INSERT INTO containers (id) VALUES (?)"), [.text("iCloud.c")],
          expecting: nil)
        guard case .failed(let failure) = connection.commit() else {
          Issue.record("the commit succeeded")
          return
        }
        #expect(failure.error.code == .tryAgainLater)
        #expect(try await nodes[0].registry.containers() == [])
      }
    }
  }
#endif
