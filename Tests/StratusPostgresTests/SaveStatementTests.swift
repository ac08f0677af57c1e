#if Postgres
  import StoreTestSupport
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// Checks how many SQL statements the body of a save sends to PostgreSQL (`nodes.md`).
  @Suite(.enabled(if: TestServer.isThere)) struct `A save in PostgreSQL` {
    private static let ann = DatabaseKey.private(owner: "_ann")

    /// Saves a new record with the same calls as a handler.
    private static func save(
      _ name: String, entries: Int, on session: StoreSession
    ) throws(ServerError) {
      session.begin()
      let zone = try session.lockZone(named: "Notes", in: ann, beforeReading: name)
      guard let zone else { throw .fault("the zone is missing") }
      _ = try session.schema()
      let number = try session.drawRecordNumbers(1)
      guard try session.latestStates(named: [name], in: zone).isEmpty else {
        throw .fault("the record exists already")
      }
      _ = try session.watchForWriting(of: ann)
      let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "a")
      var record = StoredRecord(
        name: name, type: "Note", change: zone.change + 1, isDeleted: false, created: stamp,
        modified: stamp, parentRecordName: nil, fields: .empty)
      record.number = number
      var rows = RowChanges()
      rows.added.entries = (0..<entries).map {
        IndexEntry(index: Int64($0), value: [1], record: number)
      }
      rows.usage["Note"] = Usage(records: 1, recordBytes: 1)
      try session.apply(ChangeSet(zone: zone, records: [record], rows: rows))
      _ = try session.epoch(of: ann)
    }

    /// Returns the statements of a save, each as its first three words.
    private func statements(entries: Int) async throws -> [String] {
      var found: [String] = []
      try await withNodes(1) { _, nodes in
        let store = try await nodes[0].stores.openStore(at: development)
        found = try await store.engine.write { (session) throws(ServerError) in
          let counting = CountingConnection(session.connection)
          let own = StoreSession(connection: counting)
          _ = try own.createZone(named: "Notes", in: Self.ann)
          try Self.save("first", entries: entries, on: own)
          try counting.sendSaves()
          _ = counting.take()
          try Self.save("second", entries: entries, on: own)
          try counting.sendSaves()
          return counting.take()
        }
      }
      return found
    }

    @Test func `a save of one record sends three statements, and one for its index entries`()
      async throws
    {
      let plain = try await statements(entries: 0)
      #expect(
        plain == ["SELECT zones.zone, zones.change,", "INSERT INTO records", "UPDATE listings SET"])
      let indexed = try await statements(entries: 2)
      #expect(
        indexed == [
          "SELECT zones.zone, zones.change,", "INSERT INTO records", "INSERT INTO entries",
          "UPDATE listings SET",
        ])
    }

    @Test func `one statement inserts any number of index entries`() async throws {
      for count in [1, 2, 3, 23] {
        let sent = try await statements(entries: count)
        #expect(sent.filter { $0 == "INSERT INTO entries" }.count == 1)
      }
    }

    /// The watches of a database are read with its zone, unless there are any.
    @Test func `the first save into a database on a connection reads no watches`() async throws {
      try await withNodes(1) { _, nodes in
        let store = try await nodes[0].stores.openStore(at: development)
        let sent = try await store.engine.write { (session) throws(ServerError) in
          _ = try session.createZone(named: "Notes", in: Self.ann)
          let counting = CountingConnection(session.connection)
          try Self.save("first", entries: 0, on: StoreSession(connection: counting))
          try counting.sendSaves()
          return counting.take()
        }
        #expect(!sent.contains { $0.hasPrefix("SELECT subject,") })
      }
    }

    /// The first statements change no row, so the last one changes none either.
    @Test func `a change set that does not follow on from its zone is refused`() async throws {
      try await withNodes(1) { _, nodes in
        let store = try await nodes[0].stores.store(at: development)
        let zone = try await store.write { (body) throws(ServerError) in
          try body.createZone(named: "Notes", in: Self.ann)
        }
        var later = zone
        later.change = 5
        let changes = ChangeSet(
          zone: later,
          records: [
            StoredRecord(
              name: "a", type: "Note", change: 6, isDeleted: false,
              created: Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "a"),
              modified: Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "a"),
              parentRecordName: nil, fields: .empty)
          ])
        await #expect(throws: ServerError.self) {
          try await store.write { (body) throws(ServerError) in try body.apply(changes) }
        }
        let (found, listed) = try await store.read { (body) throws(ServerError) in
          (
            try body.zone(named: "Notes", in: Self.ann),
            try body.zoneChanges(in: Self.ann, after: 1, limit: 9).count
          )
        }
        #expect(found == zone)
        #expect(listed == 0)
      }
    }

    @Test func `the steps of a statement precede its check of the number of rows`() {
      let statement = SQLStatement(
        "UPDATE b SET n = counted.n FROM counted WHERE k = ?",
        after: ["counted AS (UPDATE a SET n = ? RETURNING n)"])
      #expect(
        PostgresStatements.text(of: statement, expectsOne: false) == """
          WITH counted AS (UPDATE a SET n = $1 RETURNING n)
          UPDATE b SET n = counted.n FROM counted WHERE k = $2
          """)
      #expect(
        PostgresStatements.text(of: statement, expectsOne: true) == """
          WITH counted AS (UPDATE a SET n = $1 RETURNING n), \
          changed AS (UPDATE b SET n = counted.n FROM counted WHERE k = $2 RETURNING 1)
          SELECT 1 / CASE COUNT(*) WHEN 1 THEN 1 ELSE 0 END FROM changed
          """)
    }
  }
#endif
