#if Postgres
  import Foundation
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL
  @testable import StratusSQLite

  @Suite struct `The transfer of rows` {
    private let columns = [
      CopiedTable.Column(name: "a", kind: .integer), CopiedTable.Column(name: "b", kind: .text),
      CopiedTable.Column(name: "c", kind: .bytes),
    ]
    private let rows: [[SQLValue]] = [
      [.integer(-2), .text("a\0ü"), .bytes([0, 255])], [.null, .text(""), .null],
      [.integer(.max), .text(String(repeating: "x", count: 300)), .bytes([])],
    ]

    @Test(arguments: [1, 2, 7, 19, 64, 10_000])
    func `rows that arrive in messages of any length are read`(length: Int) throws {
      var writer = PostgresCopyWriter()
      for row in rows { writer.add(row) }
      writer.end()
      var reader = PostgresCopyReader(columns: columns)
      var found: [[SQLValue]] = []
      for start in stride(from: 0, to: writer.bytes.count, by: length) {
        try writer.bytes[start..<min(start + length, writer.bytes.count)].withUnsafeBytes {
          try reader.add($0) { found.append($0) }
        }
      }
      #expect(found == rows)
    }

    @Test func `a checksum depends on every value and not on the order of the rows`() {
      func tally(_ rows: [[SQLValue]]) -> TableTally {
        var tally = TableTally()
        for row in rows { tally.add(row) }
        return tally
      }
      #expect(tally(rows) == tally(rows.reversed()))
      #expect(tally(rows) != tally([rows[0], rows[1], rows[1]]))
      #expect(tally([[.text("ab"), .text("c")]]) != tally([[.text("a"), .text("bc")]]))
      #expect(tally([[.null]]) != tally([[.text("")]]))
      #expect(tally([[.text("a")]]) == tally([[.bytes([97])]]))
    }
  }

  @Suite(.enabled(if: TestServer.isThere)) struct `Copies between engines` {
    private func withSource(
      _ body: (SQLiteTableSet) throws -> Void
    ) throws {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-copy-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let source = try SQLiteTableSet(creating: folder.appendingPathComponent("a.sqlite")) {
        (connection) throws(ServerError) in
        try StoreTables.prepare(on: connection, makeEpoch: { 7 })
        try connection.define(
          """
          INSERT INTO databases (database, scope, owner, change, epoch) VALUES (3, 1, '_ann', 5, 7);
          INSERT INTO settings (name, value) VALUES ('a', 1), ('b', 2);
          UPDATE record_count SET next = 4711;
          INSERT INTO entries (database, index_id, value, zone, record)
            VALUES (3, 1, randomblob(9000), 1, 1);
          """)
      }
      try body(source)
      try source.close()
    }

    @Test
    func `the verification of a copy detects changed, missing and additional rows`()
      async throws
    {
      try await withCluster { cluster in
        let target = try PostgresInstallation(
          try cluster.settings, now: { 0 }, makeEpoch: { 1 })
        defer { target.close() }
        try target.beginCopy()
        try withSource { source in
          try target.makeStore(at: development) { (tables) throws(ServerError) in
            let copy = try TableCopy(of: .store, from: source, to: tables, typed: source)
            let tallies = try copy.run()
            #expect(tallies["settings"]?.rows == 2)
            try copy.verify(tallies)
            for change in [
              "UPDATE settings SET value = 3 WHERE name = 'b'", "DELETE FROM settings",
              "INSERT INTO settings (name, value) VALUES ('c', 1)",
            ] {
              try tables.connection.define(change)
              #expect(throws: ServerError.self) { try copy.verify(tallies) }
            }
          }
        }
      }
    }

    @Test func `keys and record numbers of a copy continue after the source's`() async throws {
      try await withCluster { cluster in
        let target = try PostgresInstallation(
          try cluster.settings, now: { 0 }, makeEpoch: { 1 })
        defer { target.close() }
        try target.beginCopy()
        try withSource { source in
          try target.makeStore(at: development) { (tables) throws(ServerError) in
            let copy = try TableCopy(of: .store, from: source, to: tables, typed: source)
            try copy.verify(try copy.run())
            try copy.finish()
            #expect(try tables.greatestKeys()["databases"] == 3)
            #expect(try tables.nextRecordNumber() == 4711)
            let session = StoreSession(connection: tables.connection)
            #expect(try session.drawRecordNumbers(1) == 4711)
            #expect(try tables.nextRecordNumber() == 5711)
          }
        }
      }
    }

    @Test func `a node refuses an unfinished copy, and another copy replaces it`() async throws {
      try await withCluster { cluster in
        let target = try PostgresInstallation(
          try cluster.settings, now: { 0 }, makeEpoch: { 1 })
        defer { target.close() }
        try target.beginCopy()
        try target.makeStore(at: development) { _ in }
        await #expect(throws: ServerError.self) { try await cluster.node() }
        try target.beginCopy()
        try target.makeStore(at: development) { _ in }
        try target.finishCopy()
        let node = try await cluster.node()
        #expect(node.stores.hasStore(at: development))
        await node.close()
        #expect(throws: ServerError.self) { try target.beginCopy() }
      }
    }

    @Test func `an installation that a node uses is not copied`() async throws {
      try await withNodes(1) { cluster, _ in
        let source = try PostgresInstallation(
          try cluster.settings, now: { 0 }, makeEpoch: { 1 })
        defer { source.close() }
        #expect(throws: ServerError.self) { try source.beginReading() }
      }
    }
  }
#endif
