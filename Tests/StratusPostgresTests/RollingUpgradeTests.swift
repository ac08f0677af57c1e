#if Postgres
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  @Suite(.enabled(if: TestServer.isThere)) struct `Rolling upgrades` {
    /// Creates the installation, a store and its notes by a node that then ends.
    private func prepare(_ cluster: TestCluster) async throws {
      try await cluster.withNode { node in try await TestNotes(node: node).create() }
    }

    @Test func `nodes of two layouts save side by side, and then the upgrade is completed`()
      async throws
    {
      try await withCluster { cluster in
        try await prepare(cluster)
        try await cluster.withNode(NextLayout.node()) { node in
          let later = TestNotes(node: node)
          var expected = TestNotes.initial
          try await cluster.withNode { other in
            let earlier = TestNotes(node: other)
            try await earlier.saveAsEarlier(1, metres: 11)
            try await later.saveAsLater(2, centimetres: 1_200)
            #expect(try await later.phase() == .earlier)
            #expect(try await !node.upgrades.advance())
            #expect(try await later.phase() == .expanded)
            // The earlier node does not know the new column, so its value would be wrong now.
            try await later.saveAsLater(3, centimetres: 1_300)
            try await earlier.saveAsEarlier(3, metres: 14)
            try await earlier.saveAsEarlier(9, metres: 9)
            try await later.saveAsLater(10, centimetres: 1_000)
            expected.merge([1: 1_100, 2: 1_200, 3: 1_400, 9: 900, 10: 1_000]) { $1 }
            #expect(try await later.centimetres() == expected)
            #expect(try await later.layout() == StoreTables.layout)
            try await other.stores.refresh()
            #expect(other.stores.laterStores.isEmpty)
            #expect(try await epoch(on: other) == (try await epoch(on: node)))
          }
          #expect(try await node.upgrades.advance())
          #expect(try await later.phase() == .complete)
          #expect(try await later.layout() == NextLayout.number)
          #expect(try await later.columns() == ["centimetres", "note"])
          #expect(try await later.centimetres() == expected)
          try await later.saveAsLater(11, centimetres: 5)
          expected[11] = 5
          #expect(try await later.centimetres() == expected)
        }
      }
    }

    @Test(arguments: 1...NextLayout.transactionsCount)
    func `another node continues an upgrade that was interrupted in one of its transactions`(
      number: Int64
    ) async throws {
      try await withCluster { cluster in
        try await prepare(cluster)
        let counter = TestCounter()
        let interrupted = NextLayout.node { (_) throws(ServerError) in
          if counter.next() == number { throw .fault("the node was killed") }
        }
        try await cluster.withNode(interrupted) { node in
          let error = await #expect(throws: ServerError.self) { try await node.upgrades.advance() }
          #expect(error?.facts["fault"] == "the node was killed")
          try await cluster.withNode(NextLayout.node()) { other in
            let notes = TestNotes(node: other)
            #expect(try await notes.centimetres() == TestNotes.initial)
            try await notes.saveAsLater(9, centimetres: 900)
            #expect(try await other.upgrades.advance())
            #expect(try await notes.columns() == ["centimetres", "note"])
            let expected = TestNotes.initial.merging([9: 900]) { $1 }
            #expect(try await notes.centimetres() == expected)
          }
          // The first node notices that the upgrade is complete.
          #expect(try await node.upgrades.advance())
        }
      }
    }

    /// Transaction 5 of the upgrade would fill the second batch of three rows.
    @Test func `the progress of an upgrade has its steps and the last filled row`() async throws {
      try await withCluster { cluster in
        try await prepare(cluster)
        let counter = TestCounter()
        let interrupted = NextLayout.node { (_) throws(ServerError) in
          if counter.next() == 5 { throw .fault("the node was killed") }
        }
        try await cluster.withNode(interrupted) { node in
          var expected = PostgresUpgradeProgress(
            store: development, layout: StoreTables.layout, target: NextLayout.number,
            doneSteps: 0, allSteps: 4, filledTo: nil, waitsForNodes: false)
          var list = try await node.unfinishedUpgrades()
          #expect(list == PostgresUpgradeList(upgrades: [expected], count: 1))
          try await cluster.withNode { _ in
            let isComplete = try await node.upgrades.advance()
            #expect(!isComplete)
            (expected.doneSteps, expected.waitsForNodes) = (2, true)
            list = try await node.unfinishedUpgrades()
            #expect(list.upgrades == [expected])
          }
          let error = await #expect(throws: ServerError.self) { try await node.upgrades.advance() }
          #expect(error?.facts["fault"] == "the node was killed")
          (expected.layout, expected.filledTo) = (NextLayout.number, 3)
          expected.waitsForNodes = false
          list = try await node.unfinishedUpgrades()
          #expect(list.upgrades == [expected])
          // The doctor does not know the steps of the later version.
          let installation = try PostgresInstallation(
            try cluster.settings, now: { 0 }, makeEpoch: { 1 })
          expected.allSteps = nil
          let found = try installation.unfinishedUpgrades()
          installation.close()
          #expect(found.upgrades == [expected])
          #expect(try await node.upgrades.advance())
          list = try await node.unfinishedUpgrades()
          #expect(list == PostgresUpgradeList())
        }
      }
    }

    @Test func `an upgrade has the expected number of transactions`() async throws {
      try await withCluster { cluster in
        try await prepare(cluster)
        let counter = TestCounter()
        let counted = NextLayout.node { (_) throws(ServerError) in _ = counter.next() }
        try await cluster.withNode(counted) { node in
          for _ in 0..<2 {
            let isComplete = try await node.upgrades.advance()
            #expect(isComplete)
            #expect(counter.value == NextLayout.transactionsCount)
          }
        }
      }
    }

    /// The creation of a unique index fails if two rows have the same value. PostgreSQL then keeps
    /// an index that is not valid, as it does if the node is killed.
    @Test func `another node creates an index again whose creation has failed`() async throws {
      let unique = UpgradeStep.index(name: "notes_metres", isUnique: true, on: "notes (metres)")
      let upgrade = LayoutUpgrade(expand: [unique], fill: [], contract: [])
      try await withCluster { cluster in
        try await prepare(cluster)
        try await cluster.withNode(NextLayout.node(upgrade)) { node in
          try await TestNotes(node: node).saveAsEarlier(2, metres: 1)
          let error = await #expect(throws: ServerError.self) { try await node.upgrades.advance() }
          #expect(error?.facts["postgres"]?.hasPrefix("23505") == true)
          #expect(try isValid("notes_metres", in: cluster) == false)
          try await TestNotes(node: node).saveAsEarlier(2, metres: 2)
        }
        try await cluster.withNode(NextLayout.node(upgrade)) { node in
          let isComplete = try await node.upgrades.advance()
          let isValid = try isValid("notes_metres", in: cluster)
          #expect(isComplete && isValid == true)
        }
      }
    }

    /// Otherwise the fill would not see the new row, and the row would never get its new column.
    @Test func `a body that began before the expansion saves nothing after the fill`()
      async throws
    {
      let upgrade = LayoutUpgrade(
        expand: [NextLayout.addColumn], fill: [NextLayout.fillColumn], contract: [])
      try await withCluster { cluster in
        try await prepare(cluster)
        try await cluster.withNode(NextLayout.node(upgrade)) { node in
          let connection = try PostgresConnection(
            to: try cluster.settings.url, name: "stratus tests")
          defer { connection.close() }
          connection.layouts = node.upgrades.states
          try connection.beginWrite(in: "\(cluster.schema)_1", locks: [])
          #expect(try connection.upgradePhase() == .earlier)
          #expect(try await node.upgrades.advance())
          let error = #expect(throws: ServerError.self) {
            try connection.execute(
              SQLStatement("INSERT INTO notes (note, metres) VALUES (4711, 1)"), [])
            try connection.commit().require()
          }
          #expect(error?.facts["postgres"]?.hasPrefix("40001") == true)
          connection.rollback()
          #expect(try await TestNotes(node: node).centimetres() == TestNotes.initial)
        }
      }
    }

    @Test func `a step whose table is in use fails soon, and is tried again`() async throws {
      try await withCluster { cluster in
        try await prepare(cluster)
        try await cluster.withNode(NextLayout.node()) { node in
          let connection = try PostgresConnection(
            to: try cluster.settings.url, name: "stratus tests")
          defer { connection.close() }
          try connection.beginRead(in: "\(cluster.schema)_1")
          _ = try connection.first(SQLStatement("SELECT note FROM notes"), []) { _ in true }
          let error = await #expect(throws: ServerError.self) { try await node.upgrades.advance() }
          #expect(error?.facts["postgres"]?.hasPrefix("55P03") == true)
          connection.rollback()
          #expect(try await node.upgrades.advance())
        }
      }
    }

    @Test func `one node at a time works on an upgrade`() async throws {
      try await withCluster { cluster in
        try await prepare(cluster)
        try await cluster.withNode(NextLayout.node()) { node in
          let connection = try PostgresConnection(
            to: try cluster.settings.url, name: "stratus tests")
          let lock = PostgresUpgrades.lock(of: cluster.schema)
          try connection.define("SELECT pg_advisory_lock(\(lock));")
          #expect(try await !node.upgrades.advance())
          #expect(try await TestNotes(node: node).phase() == .earlier)
          try connection.define("SELECT pg_advisory_unlock(\(lock));")
          connection.close()
          #expect(try await node.upgrades.advance())
        }
      }
    }

    @Test func `the registry is upgraded like a store`() async throws {
      try await withCluster { cluster in
        let table = UpgradeStep.define("CREATE TABLE colours (name BYTEA PRIMARY KEY);")
        let upgrade = LayoutUpgrade(expand: [table], fill: [], contract: [])
        var layouts = PostgresLayouts.present
        layouts.registry = PostgresLayouts.Kind(
          newest: RegistryTables.layout + 1, upgrade: upgrade)
        let plan = PostgresCluster.Upgrading(layouts: layouts, isAutomatic: false)
        try await cluster.withNode(plan) { node in
          try await cluster.withNode { _ in
            let isComplete = try await node.upgrades.advance()
            #expect(!isComplete)
          }
          let isComplete = try await node.upgrades.advance()
          #expect(isComplete)
          let layout = try await node.registry.engine.read { (session) throws(ServerError) in
            try RegistryTables.foundLayout(on: session.connection)
          }
          #expect(layout == RegistryTables.layout + 1)
          let error = await #expect(throws: ServerError.self) { try await cluster.node() }
          #expect(error?.facts["fault"] == "it was written by a newer version of Stratus")
        }
      }
    }

    /// Whether PostgreSQL uses an index, or nil if the index does not exist.
    private func isValid(_ index: String, in cluster: TestCluster) throws -> Bool? {
      try cluster.withConnection { connection in
        let statement = SQLStatement(
          """
          SELECT indisvalid FROM pg_index
          WHERE indexrelid = to_regclass('"\(cluster.schema)_1".\(index)')
          """)
        return try connection.runApart(in: cluster.schema) { (connection) throws(ServerError) in
          try connection.first(statement, []) { $0.integer(0) != 0 }
        }
      }
    }
  }
#endif
