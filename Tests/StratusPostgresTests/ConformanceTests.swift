#if Postgres
  import StratusConformance
  import StratusDomain
  import StratusSQL
  import Testing

  @testable import StratusPostgres

  @Suite(.enabled(if: TestServer.isThere)) struct `PostgreSQL store` {
    @Test(arguments: StoreConformance.checks)
    func `the PostgreSQL store passes the conformance suite and scans no large table`(
      _ check: StoreConformance.Check
    ) async throws {
      try await withNodes(1) { _, nodes in
        try await check.run { try await nodes[0].stores.store(at: development) }
        let store = try await nodes[0].stores.openStore(at: development)
        for plan in try await PostgresPlan.all(of: store) {
          #expect(plan.isBounded, "\(plan.text): \(plan.lines.joined(separator: "\n"))")
        }
      }
    }

    @Test(arguments: StoreConformance.pairChecks)
    func `two nodes pass the conformance suite for several nodes`(
      _ check: ConformanceCheck<StorePair>
    ) async throws {
      try await withNodes(2) { _, nodes in
        try await check.run {
          StorePair(
            one: try await nodes[0].stores.store(at: development),
            other: try await nodes[1].stores.store(at: development))
        }
      }
    }
  }

  @Suite(.enabled(if: TestServer.isThere)) struct `PostgreSQL registry` {
    @Test(arguments: RegistryConformance.checks)
    func `the PostgreSQL registry passes the conformance suite`(
      _ check: RegistryConformance.Check
    ) async throws {
      try await withNodes(1) { _, nodes in try await check.run { nodes[0].registry } }
    }
  }

  @Suite(.enabled(if: TestServer.isThere)) struct `PostgreSQL locks` {
    @Test(arguments: WorkLocksConformance.checks)
    func `the locks of one node pass the conformance suite`(
      _ check: ConformanceCheck<any WorkLocks>
    ) async throws {
      try await withNodes(1) { _, nodes in try await check.run { nodes[0].locks } }
    }

    @Test(arguments: WorkLocksConformance.pairChecks)
    func `the locks of two nodes pass the conformance suite for several processes`(
      _ check: ConformanceCheck<WorkLocksPair>
    ) async throws {
      try await withNodes(2) { cluster, nodes in
        try await check.run {
          WorkLocksPair(one: nodes[0].locks, other: nodes[1].locks) { seconds in
            cluster.ahead.advance(by: seconds * 1_000)
          }
        }
      }
    }
  }
#endif
