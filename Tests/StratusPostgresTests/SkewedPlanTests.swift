#if Postgres
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// Many small zones and a large one. PostgreSQL then expects a single row in each zone, unless
  /// the definitions of the tables set other statistics.
  @Suite(.enabled(if: TestServer.isThere)) struct `Plans with zones of different sizes` {
    private static let rows = """
      INSERT INTO databases (scope, owner, change, epoch)
        SELECT 1, convert_to('_u' || number, 'UTF8'), 1, 1 FROM generate_series(1, 2000) AS number;
      INSERT INTO zones (database, name, change, deleted)
        SELECT database, 'Notes', 1, 0 FROM databases;
      INSERT INTO listings (
          database, zone, listed, seen, participation, deleted, deletion_reason)
        SELECT database, zone, 1, 0, 0, 0, 0 FROM zones;
      INSERT INTO records (
          record, database, zone, name, type, change, deleted, created_at, created_by,
          created_device, modified_at, modified_by, modified_device, parent, fields, assets)
        SELECT number, place, place, convert_to('r' || number, 'UTF8'), 'Note', number, 0,
          1, '_u', '', 1, '_u', '',
          NULL, '{}', 0
        FROM (
          SELECT number, CASE WHEN number <= 4000 THEN 1 + number % 2000 ELSE 1 END AS place
          FROM generate_series(1, 24000) AS number) AS numbers;
      ANALYZE databases, zones, listings, records;
      """

    @Test func `a record of a large zone is found by its whole key`() async throws {
      try await withNodes(1) { _, nodes in
        let store = try await nodes[0].stores.openStore(at: development)
        try await store.engine.write { (session) throws(ServerError) in
          try session.connection.define(Self.rows)
        }
        // NB: the plans are read on the connection of the statements. Another write could use
        // another connection.
        let plans = try await store.write { (body) throws(ServerError) in
          let database = DatabaseKey.private(owner: "_u1")
          guard let zone = try body.lockZone(named: "Notes", in: database) else {
            throw .fault("no zone")
          }
          _ = try body.lockZone(named: "Notes", in: database, beforeReading: "r4001")
          _ = try body.records(named: ["r4001"], in: zone)
          _ = try body.records(named: ["r4001", "r4002"], in: zone)
          _ = try body.existing(["r4001"], in: zone)
          _ = try body.positions(of: ["r4001"], in: zone)
          guard let session = body as? StoreSession else { throw .fault("no session") }
          return try PostgresPlan.plans(on: session.connection)
        }
        #expect(plans.contains { $0.text.contains("FROM records") })
        for plan in plans {
          #expect(plan.isBounded, "\(plan.text)")
          let filters = plan.lines.filter { $0.contains("Filter:") && $0.contains("name = ") }
          #expect(filters.isEmpty, "\(plan.text): \(plan.lines.joined(separator: "\n"))")
        }
      }
    }
  }
#endif
