#if Postgres
  import Foundation
  import StratusDomain
  import StratusWire
  import Testing

  import struct StratusTesting.SeededChance

  @testable import StratusPostgres
  @testable import StratusSQL

  @Suite(.enabled(if: TestServer.isThere)) struct `Killed upgrades` {
    /// The time after which no further kill is tried.
    private static let seconds = 15.0

    /// The tables and rows after an upgrade.
    private struct Outcome {
      var definitions: [String]
      var notes: [Int64: Int64]
      var expectedNotes: [Int64: Int64]
      /// The number of statements that the first node has sent.
      var count: Int
    }

    /// In each run, the node that upgrades is killed before another one of its statements, and a
    /// second node continues. A killed `COMMIT` is tried twice: before it is sent, and before its
    /// answer is read, because the release of the locks is the next statement. Other nodes save
    /// notes between all transactions of both nodes.
    @Test func `an upgrade whose node is killed at any statement ends like any other upgrade`()
      async throws
    {
      let variables = ProcessInfo.processInfo.environment
      let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...99_999)
      var chance = SeededChance(seed: seed)
      try await withCluster { cluster in
        try await cluster.withNode { node in try await TestNotes(node: node).create() }
        let whole = try await run(in: cluster, killAt: nil)
        #expect(whole.notes == whole.expectedNotes)
        // Each transaction begins, reads its state, writes twice, and commits.
        #expect(whole.count > Int(NextLayout.transactionsCount) * 5)
        let begin = ContinuousClock.now
        var tried = 0
        for number in (1...whole.count).shuffled(using: &chance) {
          if ContinuousClock.now - begin > .seconds(Self.seconds) { break }
          let outcome = try await run(in: cluster, killAt: number)
          tried += 1
          #expect(outcome.count == number, "seed \(seed), kill at \(number)")
          #expect(outcome.definitions == whole.definitions, "seed \(seed), kill at \(number)")
          #expect(outcome.notes == outcome.expectedNotes, "seed \(seed), kill at \(number)")
        }
        print("killed upgrades: seed \(seed), \(tried) of \(whole.count) statements")
        #expect(tried > 0)
      }
    }

    /// Upgrades the first store of an installation from the present layout.
    ///
    /// - Parameter killAt: the number of the statement before which the first node is killed.
    private func run(in cluster: TestCluster, killAt: Int?) async throws -> Outcome {
      let states = LayoutStates(
        installation: cluster.schema, layouts: NextLayout.node().layouts)
      try cluster.withConnection { try $0.define(Self.reset(cluster.schema)) }
      let others = try OtherNodes(in: cluster, states: states)
      defer { others.close() }
      let wire = DeadlyWire(killAt: killAt) { others.save() }
      var node = try KilledNode("first", in: cluster, states: states, wire: wire)
      var (isComplete, isSecond, attempts) = (false, false, 0)
      while !isComplete, attempts < 1_000 {
        attempts += 1
        let outcome: Result<Bool, ServerError>
        do throws(ServerError) { outcome = .success(try await node.upgrades.advance()) } catch {
          outcome = .failure(error)
        }
        if wire.isDead, !isSecond {
          await node.close()
          isSecond = true
          node = try KilledNode(
            "second", in: cluster, states: states,
            wire: DeadlyWire(killAt: nil) { others.save() })
          continue
        }
        switch outcome {
        case .success(true): isComplete = true
        case .success(false):
          // NB: perhaps PostgreSQL has not released the locks of the killed node yet.
          if try isExpanded(in: cluster, states), others.hasEarlier {
            try others.endEarlier(in: cluster)
          }
        case .failure(let error) where error.code == .tryAgainLater && isSecond: break
        case .failure(let error):
          await node.close()
          throw error
        }
      }
      await node.close()
      #expect(isComplete)
      #expect(!others.hasEarlier)
      #expect(others.errors.isEmpty, "kill at \(killAt ?? 0): \(others.errors)")
      #expect(wire.isDead == (killAt != nil))
      let notes = try cluster.withConnection { connection in
        connection.layouts = states
        return try connection.runApart(in: "\(cluster.schema)_1") {
          (connection) throws(ServerError) in
          try TestNotes.centimetres(on: connection)
        }
      }
      return Outcome(
        definitions: try definitions(in: cluster), notes: notes, expectedNotes: others.expected,
        count: wire.count)
    }

    /// Whether the upgrade waits for the end of the node of the earlier layout.
    private func isExpanded(in cluster: TestCluster, _ states: LayoutStates) throws -> Bool {
      try cluster.withConnection { connection in
        try connection.runApart(in: cluster.schema) { (connection) throws(ServerError) in
          let state = try states.state(of: "\(cluster.schema)_1", on: connection)
          return state?.target == NextLayout.number
            && state?.step == Int64(NextLayout.upgrade.expand.count)
        }
      }
    }

    /// Returns a line for each column and index of the notes, and one for the state of the upgrade.
    private func definitions(in cluster: TestCluster) throws -> [String] {
      let (store, schema) = ("\(cluster.schema)_1", cluster.schema)
      let statement = SQLStatement(
        """
        SELECT line FROM (
          SELECT 'column ' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
            || attnotnull AS line
          FROM pg_attribute
          WHERE attrelid = to_regclass('"\(store)".notes') AND attnum > 0 AND NOT attisdropped
          UNION ALL
          SELECT pg_get_indexdef(indexrelid) || ' ' || indisvalid FROM pg_index
          WHERE indrelid = to_regclass('"\(store)".notes')
          UNION ALL
          SELECT 'state ' || layout || ' ' || target || ' ' || step FROM "\(schema)".layouts
          WHERE schema = '\(store)'
          UNION ALL SELECT 'store ' || layout FROM "\(store)".store
          UNION ALL SELECT 'fill ' || position FROM "\(schema)".fills
        ) AS lines ORDER BY line
        """)
      return try cluster.withConnection { connection in
        try connection.runApart(in: schema) { (connection) throws(ServerError) in
          try connection.all(statement, []) { $0.text(0) }
        }
      }
    }

    /// Returns the first store to the present layout, with the first notes, and removes all nodes.
    private static func reset(_ schema: String) -> String {
      """
      DELETE FROM "\(schema)".nodes;
      DELETE FROM "\(schema)".writers;
      DELETE FROM "\(schema)".fills;
      UPDATE "\(schema)".layouts SET layout = \(StoreTables.layout), target = 0, step = 0
        WHERE schema = '\(schema)_1';
      UPDATE "\(schema)_1".store SET layout = \(StoreTables.layout);
      SET search_path TO "\(schema)_1";
      DROP TABLE notes;
      \(NextLayout.notes)
      """
    }
  }
#endif
