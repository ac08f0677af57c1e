#if Postgres
  import StratusDomain
  import StratusWire
  import Synchronization
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// The reports of a node to its operator.
  private final class TestReports: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  @Suite(.enabled(if: TestServer.isThere)) struct `Nodes of different layouts` {
    private static let empty = LayoutUpgrade(expand: [], fill: [], contract: [])

    @Test func `a node refuses to start beside a node that is two layouts away`() async throws {
      try await withCluster { cluster in
        try await cluster.withNode { _ in
          try await cluster.withNode(NextLayout.node()) { _ in }
          let further = NextLayout.node(newest: NextLayout.number + 1)
          let error = await #expect(throws: ServerError.self) { try await cluster.node(further) }
          #expect(error?.facts["fault"]?.contains("no layout in common") == true)
        }
      }
    }

    /// The upgrade is offline, so the nodes have no layout in common.
    @Test func `a node refuses to start beside a node of a later layout without online upgrade`()
      async throws
    {
      try await withCluster { cluster in
        let layouts = PostgresLayouts(
          store: PostgresLayouts.Kind(newest: StoreTables.layout - 1),
          registry: PostgresLayouts.present.registry)
        try await cluster.withNode { _ in
          let error = await #expect(throws: ServerError.self) {
            try await cluster.node(PostgresCluster.Upgrading(layouts: layouts))
          }
          #expect(error?.facts["fault"]?.contains("no layout in common") == true)
        }
      }
    }

    @Test func `a node refuses a store of a later layout, and reports the store`() async throws {
      try await withCluster { cluster in
        try await cluster.withNode(NextLayout.node(Self.empty)) { node in
          _ = try await epoch(on: node)
          #expect(try await node.upgrades.advance())
        }
        let reports = TestReports()
        let node = try await cluster.node { reports.add($0) }
        #expect(node.stores.laterStores == [development])
        let error = await #expect(throws: ServerError.self) {
          try await node.stores.store(at: development)
        }
        #expect(error?.code == .tryAgainLater)
        #expect(error?.facts["fault"] == PostgresFailure.laterStore)
        let read = await #expect(throws: ServerError.self) {
          try await node.stores.storeToRead(at: development)
        }
        #expect(read?.facts["fault"] == PostgresFailure.laterStore)
        #expect(node.stores.openStoresByAddress.isEmpty)
        #expect(node.stores.hasStore(at: development))
        try await node.stores.refresh()
        let found = reports.all.filter { $0.contains(development.container) }
        #expect(found.count == 1)
        // The registry and other stores can be used.
        #expect(try await node.registry.containers() == [])
        let other = StoreAddress(container: "iCloud.org.other", environment: .development)
        _ = try await node.stores.store(at: other)
        await node.close()
      }
    }

    /// The rows are removed in one transaction, so that no heartbeat can come between.
    @Test func `a node that was silent ends if a store was upgraded meanwhile`() async throws {
      try await withCluster { cluster in
        let reports = TestReports()
        let node = try await cluster.node { reports.add($0) }
        _ = try await epoch(on: node)
        // A running request may have got this store before the upgrade.
        let store = try await node.stores.store(at: development)
        try cluster.withConnection { connection in
          try connection.define(
            """
            DELETE FROM "\(cluster.schema)".nodes;
            DELETE FROM "\(cluster.schema)".writers;
            UPDATE "\(cluster.schema)".layouts SET layout = layout + 1
              WHERE schema <> '\(cluster.schema)';
            """)
        }
        let lost = await #expect(throws: ServerError.self) {
          try await store.write { (body) throws(ServerError) in
            _ = try body.createZone(named: "Other", in: .private(owner: "_ann"))
          }
        }
        // The heartbeat of the node may have come before.
        let isRefused = lost?.facts["fault"]?.contains("another node has removed its row") == true
        #expect(isRefused || lost?.facts["store"] == "closed")
        let isIn = await node.presence.round()
        #expect(!isIn && node.isShutOut)
        let reason = await node.waitUntilShutOut()
        #expect(reason?.facts["fault"] == PostgresFailure.laterStore)
        #expect(reports.all.filter { $0.contains("it cannot return and ends") }.count == 1)
        // A registry of a later layout must not be read either.
        let registry = await #expect(throws: ServerError.self) {
          try await node.registry.containers()
        }
        #expect(registry?.facts["store"] == "closed")
        let read = await #expect(throws: ServerError.self) {
          try await node.stores.storeToRead(at: development)
        }
        #expect(read?.facts["store"] == "closed")
        let lease = await #expect(throws: ServerError.self) {
          try await node.backupTurns.take()
        }
        #expect(lease?.facts["fault"] == PostgresFailure.laterStore)
        await node.close()
      }
    }

    @Test func `a node that was silent returns if no store was upgraded`() async throws {
      try await withCluster { cluster in
        try await cluster.withNode { node in
          try cluster.withConnection { connection in
            try connection.define("DELETE FROM \"\(cluster.schema)\".nodes;")
          }
          try await node.heartbeat.beat()
          #expect(!node.isShutOut)
          let names = try await node.nodes().map(\.name)
          #expect(names == [node.node])
        }
      }
    }

    @Test func `a connection of a node that the table of nodes lacks cannot write`() async throws {
      try await withNodes(1) { cluster, _ in
        try cluster.withConnection { connection in
          let commits = PostgresCommits(node: "node-absent", schema: cluster.schema)
          let error = #expect(throws: ServerError.self) { try commits.register(connection) }
          #expect(error?.facts["fault"]?.contains("another node has removed its row") == true)
        }
      }
    }

    @Test func `a node creates no store that a node of the earlier layout cannot use`()
      async throws
    {
      try await withCluster { cluster in
        let earlier = PostgresCluster.Upgrading(
          layouts: PostgresLayouts(
            store: PostgresLayouts.Kind(newest: StoreTables.layout - 1),
            registry: PostgresLayouts.present.registry))
        let later = NextLayout.node(Self.empty, newest: StoreTables.layout)
        try await cluster.withNode(later) { node in
          try await cluster.withNode(earlier) { _ in
            let error = await #expect(throws: ServerError.self) { try await epoch(on: node) }
            #expect(error?.code == .tryAgainLater)
            #expect(error?.facts["fault"]?.contains("could not use the new store") == true)
          }
          _ = try await epoch(on: node)
        }
      }
    }

    @Test func `stores of an earlier layout are not upgraded offline while a node runs`()
      async throws
    {
      try await withCluster { cluster in
        try await cluster.withNode { node in
          _ = try await epoch(on: node)
          try cluster.withConnection { connection in
            try connection.define(Self.layoutTwelve(in: cluster.schema))
          }
          let error = await #expect(throws: ServerError.self) { try await cluster.node() }
          #expect(error?.facts["fault"]?.contains("are running") == true)
        }
      }
    }

    @Test func `the first node of a new version upgrades all stores offline`() async throws {
      try await withCluster { cluster in
        try await cluster.withNode { node in _ = try await epoch(on: node) }
        try cluster.withConnection { connection in
          try connection.define(Self.layoutTwelve(in: cluster.schema))
        }
        try await cluster.withNode { node in
          let store = try await node.stores.openStore(at: development)
          let layout = try await store.engine.read { (session) throws(ServerError) in
            try StoreTables.foundLayout(on: session.connection)
          }
          #expect(layout == StoreTables.layout)
          _ = try await epoch(on: node)
        }
      }
    }

    private static let other = StoreAddress(
      container: "iCloud.org.other", environment: .development)

    /// The upgrade from layout 12 finds no table `zones`.
    @Test func `nodes start without a damaged store, and use it again after its repair`()
      async throws
    {
      try await withCluster { cluster in
        var first: Int64 = 0
        try await cluster.withNode { node in
          first = try await epoch(on: node)
          _ = try await node.stores.store(at: Self.other)
        }
        let (damaged, kept) = ("\"\(cluster.schema)_1\".zones", "zones_kept")
        try cluster.withConnection { connection in
          try connection.define(Self.layoutTwelve(in: cluster.schema))
          try connection.define("ALTER TABLE \(damaged) RENAME TO \(kept);")
        }
        let reports = TestReports()
        let node = try await cluster.node { reports.add($0) }
        #expect(node.stores.damagedStores == [development])
        #expect(reports.all.filter { $0.contains(development.container) }.count == 1)
        let error = await #expect(throws: ServerError.self) {
          try await node.stores.store(at: development)
        }
        #expect(error?.code == .internalError)
        #expect(error?.facts["fault"] == PostgresFailure.damagedStore)
        let read = await #expect(throws: ServerError.self) {
          try await node.stores.storeToRead(at: development)
        }
        #expect(read?.facts["fault"] == PostgresFailure.damagedStore)
        #expect(node.stores.hasStore(at: development))
        #expect(Set(node.stores.openStoresByAddress.keys) == [Self.other])
        // Another node neither upgrades the store beside this node, nor refuses to start.
        try await cluster.withNode { other in
          #expect(other.stores.damagedStores == [development])
        }
        await node.close()
        try cluster.withConnection { connection in
          try connection.define(
            "ALTER TABLE \"\(cluster.schema)_1\".\(kept) RENAME TO zones;")
        }
        try await cluster.withNode { node in
          #expect(node.stores.damagedStores.isEmpty)
          let second = try await epoch(on: node)
          #expect(second != first)
        }
      }
    }

    /// The row in `layouts` still has the layout of the tables before the damage.
    @Test func `a damaged store is upgraded if its restored tables have an earlier layout`()
      async throws
    {
      try await withCluster { cluster in
        var first: Int64 = 0
        try await cluster.withNode { node in first = try await epoch(on: node) }
        try cluster.withConnection { connection in
          try connection.define(Self.layoutTwelve(in: cluster.schema))
          try connection.define(
            """
            INSERT INTO "\(cluster.schema)".layouts (schema, layout, target, step)
              VALUES ('\(cluster.schema)_1', \(StoreTables.layout), 0, 0);
            INSERT INTO "\(cluster.schema)".store_faults (number, reason)
              VALUES (1, 'a table is gone');
            """)
        }
        try await cluster.withNode { node in
          #expect(node.stores.damagedStores.isEmpty)
          let second = try await epoch(on: node)
          #expect(second != first)
          let store = try await node.stores.openStore(at: development)
          let layout = try await store.engine.read { (session) throws(ServerError) in
            try StoreTables.foundLayout(on: session.connection)
          }
          #expect(layout == StoreTables.layout)
        }
      }
    }

    @Test func `a store without a schema is damaged, and can be deleted`() async throws {
      try await withCluster { cluster in
        try await cluster.withNode { node in
          _ = try await epoch(on: node)
          try cluster.withConnection { connection in
            try connection.define("DROP SCHEMA \"\(cluster.schema)_1\" CASCADE;")
          }
          try await node.stores.refresh()
          #expect(node.stores.damagedStores == [development])
          // The note makes the store begin a new history if its schema is restored.
          let installation = try PostgresInstallation(
            try cluster.settings, now: { 0 }, makeEpoch: { 1 })
          let damages = try installation.damagedStores()
          installation.close()
          #expect(damages == [development: "its schema is missing"])
          try await node.stores.deleteStores(of: development.container)
          try await node.stores.refresh()
          #expect(node.stores.damagedStores.isEmpty)
          _ = try await epoch(on: node)
        }
      }
    }

    /// Versions before the table `layouts` wrote no layouts into `nodes`.
    @Test func `a node refuses to start beside a node whose version writes no layouts`()
      async throws
    {
      try await withCluster { cluster in
        try await cluster.withNode { _ in }
        let nodes = "\"\(cluster.schema)\".nodes"
        try cluster.withConnection { connection in
          try connection.define(
            """
            ALTER TABLE \(nodes) DROP COLUMN store_oldest, DROP COLUMN store_newest,
              DROP COLUMN registry_oldest, DROP COLUMN registry_newest;
            INSERT INTO \(nodes) (node, version, started_at, seen_at, draining)
              VALUES ('earlier', 'test', 0, \(PostgresTables.now), 0);
            """)
        }
        let error = await #expect(throws: ServerError.self) { try await cluster.node() }
        #expect(error?.facts["fault"]?.contains("are running") == true)
        try cluster.withConnection { connection in
          try connection.define("UPDATE \(nodes) SET seen_at = 0;")
        }
        try await cluster.withNode { node in
          let names = try await node.nodes().map(\.name)
          #expect(names == [node.node])
        }
      }
    }

    /// Changes the first store of an installation back to layout 12, without its row in `layouts`,
    /// as an earlier version has left it.
    private static func layoutTwelve(in schema: String) -> String {
      """
      SET search_path TO "\(schema)_1";
      ALTER TABLE zones DROP COLUMN incarnation;
      ALTER TABLE records DROP COLUMN revision;
      ALTER TABLE outbox_records DROP COLUMN revision;
      ALTER TABLE record_versions DROP COLUMN revision;
      ALTER TABLE notification_count DROP COLUMN base;
      ALTER TABLE notification_users DROP COLUMN newest;
      ALTER TABLE notifications DROP COLUMN user_number;
      CREATE INDEX notifications_owner ON notifications (owner, number);
      UPDATE store SET layout = 12;
      DELETE FROM "\(schema)".layouts WHERE schema = '\(schema)_1';
      """
    }
  }
#endif
