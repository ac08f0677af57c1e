#if Postgres
  import Foundation
  import StratusDomain
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL
  @testable import StratusSQLite
  @testable import StratusServer

  /// Copies of single containers.
  @Suite(.enabled(if: TestServer.isThere)) struct `Copies of single containers` {
    private static let one = StoreAddress(
      container: "iCloud.org.example.One", environment: .development)
    private static let two = StoreAddress(
      container: "iCloud.org.example.Two", environment: .production)
    private static let chosen: Set = [one.container]
    /// The epoch of both stores in the source.
    private static let epoch: Int64 = 7

    /// Ann uses both containers, and Bob uses the second one. Eve is a member of the team who is
    /// limited to both containers, and Olga owns the installation.
    private static let rows = """
      INSERT INTO containers (id) VALUES ('\(one.container)'), ('\(two.container)');
      INSERT INTO accounts (id, email, disabled)
        VALUES ('ann', 'ann@example.org', 0), ('bob', 'bob@example.org', 0),
          ('eve', 'eve@example.org', 0), ('olga', 'olga@example.org', 0);
      INSERT INTO users (container, name, account)
        VALUES ('\(one.container)', '_a1', 'ann'), ('\(two.container)', '_a2', 'ann'),
          ('\(two.container)', '_b2', 'bob');
      INSERT INTO sessions (
          id, account, container, environment, created_at, last_used_at, ends_at)
        VALUES ('s1', 'ann', '\(one.container)', 'development', 1, 1, 9),
          ('s2', 'bob', '\(two.container)', 'production', 1, 1, 9),
          ('s3', 'ann', '*', 'development', 1, 1, 9);
      INSERT INTO passwords (account, hash, changed_at)
        VALUES ('ann', 'a', 1), ('bob', 'b', 1), ('eve', 'e', 1);
      INSERT INTO team (account, role, containers, added_at)
        VALUES ('eve', 'developer', '\(one.container) \(two.container)', 1),
          ('olga', 'owner', NULL, 1);
      INSERT INTO audit (number, at, actor, action, account, container, subject)
        VALUES (1, 1, 'operator', 'x', NULL, '\(one.container)', ''),
          (2, 1, 'operator', 'x', 'ann', '\(two.container)', ''),
          (3, 1, 'operator', 'x', 'ann', NULL, ''),
          (4, 1, 'operator', 'x', 'bob', '\(one.container)', ''),
          (5, 1, 'operator', 'x', 'ann', '\(one.container)', '');
      INSERT INTO mail_codes (hash, purpose, email, ends_at)
        VALUES (X'01', 'reset', 'ann@example.org', 9);
      INSERT INTO installation (number, id) VALUES (1, 'source');
      """

    /// The folders and the schema of a test.
    private struct Place {
      let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-containers-\(UUID().uuidString)")
      let cluster: TestCluster
      let url: String

      subscript(_ name: String) -> URL { root.appendingPathComponent(name) }

      /// Copies the source folder to PostgreSQL.
      func move(
        to shared: String = "shared", _ containers: Set<String>? = nil,
        _ history: InstallationCopy.History = .moved
      ) throws {
        _ = try InstallationCopy.run(
          from: .folder(self["source"]), to: .postgres(url), shared: self[shared],
          containers: containers, history: history, schema: cluster.schema)
      }

      /// Copies PostgreSQL to a folder.
      func move(
        toFolder name: String, _ containers: Set<String>? = nil,
        _ history: InstallationCopy.History = .moved
      ) throws {
        _ = try InstallationCopy.run(
          from: .postgres(url), to: .folder(self[name]), shared: self["shared"],
          containers: containers, history: history, schema: cluster.schema)
      }
    }

    private func withSource(_ body: (Place) throws -> Void) async throws {
      try await withCluster { cluster in
        let place = Place(cluster: cluster, url: try #require(TestServer.url))
        defer { try? FileManager.default.removeItem(at: place.root) }
        let source = place["source"]
        for address in [Self.one, Self.two] {
          let file = DataFolder.file(of: address, in: source)
          try SQLiteTableSet(creating: file) { (connection) throws(ServerError) in
            try StoreTables.prepare(on: connection, makeEpoch: { Self.epoch })
          }.close()
        }
        let registry = DataFolder.registry(in: source)
        try SQLiteTableSet(creating: registry) { (connection) throws(ServerError) in
          try RegistryTables.prepare(on: connection, upgrade: nil)
          try RegistryTables.setStores(
            [Self.one: Self.epoch, Self.two: Self.epoch], on: connection)
          try connection.define(Self.rows)
        }.close()
        _ = try KeyFile(data: source).keys(
          for: SigningPurpose.assetTickets, orKeep: Array(repeating: 1, count: 32))
        try body(place)
      }
    }

    /// Returns the number of rows of a registry in a folder.
    private func count(_ rows: String, in folder: URL) throws -> Int64? {
      try count(rows, inFile: DataFolder.registry(in: folder))
    }

    private func count(_ rows: String, inFile file: URL) throws -> Int64? {
      let tables = try SQLiteTableSet(reading: file)
      let statement = SQLStatement("SELECT COUNT(*) FROM \(rows)")
      let count = try tables.connection.first(statement, []) { $0.integer(0) }
      try tables.close()
      return count
    }

    /// Returns the number of stores of the installation in PostgreSQL that still have the epoch of
    /// the source.
    private func earlierEpochsCount(in place: Place) throws -> Int64? {
      try firstNumber(
        of: "SELECT COUNT(*) FROM stores WHERE epoch = ?", [.integer(Self.epoch)], in: place)
    }

    /// Runs a statement in the schema of the installation in PostgreSQL.
    private func firstNumber(
      of text: String, _ values: [SQLValue], in place: Place
    ) throws -> Int64? {
      let statement = SQLStatement(text)
      return try place.cluster.withConnection { connection in
        try connection.runApart(in: place.cluster.schema) { (connection) throws(ServerError) in
          try connection.first(statement, values) { $0.integer(0) }
        }
      }
    }

    /// - Parameter selectsFirst: whether the move to PostgreSQL leaves out the second container, or
    ///   the move back.
    @Test(arguments: [true, false])
    func `a copy of one container has what belongs to the container and nothing else`(
      selectsFirst: Bool
    ) async throws {
      try await withSource { place in
        try place.move(selectsFirst ? Self.chosen : nil)
        try place.move(toFolder: "copy", selectsFirst ? nil : Self.chosen)
        let copy = place["copy"]
        #expect(try DataFolder.stores(in: copy) == [Self.one])
        let expected: [(rows: String, count: Int64)] = [
          ("containers WHERE id = '\(Self.one.container)'", 1), ("containers", 1),
          ("stores", 1), ("accounts WHERE id IN ('ann', 'eve')", 2), ("accounts", 2),
          ("users WHERE name = '_a1'", 1), ("users", 1), ("sessions WHERE id = 's1'", 1),
          ("sessions", 1), ("passwords WHERE account IN ('ann', 'eve')", 2), ("passwords", 2),
          ("team WHERE account = 'eve' AND containers = '\(Self.one.container)'", 1),
          ("team", 1), ("audit WHERE number IN (1, 5)", 2), ("audit", 2), ("mail_codes", 0),
          ("installation", 0),
          ("registry WHERE layout = \(RegistryTables.layout)", 1),
        ]
        for (rows, number) in expected {
          let found = try count(rows, in: copy)
          #expect(found == number, "\(rows)")
        }
        let store = DataFolder.file(of: Self.one, in: copy)
        #expect(try count("store WHERE epoch = \(Self.epoch)", inFile: store) == 1)
        #expect(FileManager.default.fileExists(atPath: KeyFile.location(in: copy).path))
      }
    }

    @Test func `only the moved container begins a new history in a folder`() async throws {
      try await withSource { place in
        let source = place["source"]
        try place.move(Self.chosen)
        for (address, number) in [(Self.one, Int64(0)), (Self.two, 1)] {
          let file = DataFolder.file(of: address, in: source)
          let found = try count("store WHERE epoch = \(Self.epoch)", inFile: file)
          #expect(found == number, "\(address.container)")
        }
        #expect(try count("stores", in: source) == 2)
        #expect(try count("stores WHERE epoch = \(Self.epoch)", in: source) == 1)
        #expect(try count("accounts", in: source) == 4)
        #expect(try count("installation WHERE id = 'source'", in: source) == 1)
      }
    }

    @Test func `only the moved container begins a new history in PostgreSQL`() async throws {
      try await withSource { place in
        try place.move()
        let owner = place["shared"].appendingPathComponent("assets-owner")
        try Data("source\n".utf8).write(to: owner)
        #expect(try earlierEpochsCount(in: place) == 2)
        try place.move(toFolder: "trial", Self.chosen, .begunAnew)
        #expect(try earlierEpochsCount(in: place) == 2)
        let trial = DataFolder.file(of: Self.one, in: place["trial"])
        #expect(try count("store WHERE epoch = \(Self.epoch)", inFile: trial) == 0)
        try place.move(toFolder: "copy", Self.chosen)
        #expect(try earlierEpochsCount(in: place) == 1)
        let keptIDsCount = try firstNumber(
          of: "SELECT COUNT(*) FROM installation WHERE id = ?", [.text("source")], in: place)
        #expect(keptIDsCount == 1)
        #expect(FileManager.default.fileExists(atPath: owner.path))
      }
    }

    @Test func `an unknown container is refused before anything is written`() async throws {
      try await withSource { place in
        let unknown: Set = [Self.one.container, "iCloud.org.example.None"]
        let failure = #expect(throws: BackupFailure.self) { try place.move(unknown) }
        #expect(failure?.description.contains("no container iCloud.org.example.None") == true)
        let schemasCount = try firstNumber(
          of: "SELECT COUNT(*) FROM pg_namespace WHERE nspname = ?::TEXT",
          [.text(place.cluster.schema)], in: place)
        #expect(schemasCount == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.root.path) == ["source"])
        try place.move()
        let other = #expect(throws: BackupFailure.self) {
          try place.move(toFolder: "copy", unknown)
        }
        #expect(other?.description.contains("no container iCloud.org.example.None") == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.root.path)
        #expect(names.sorted() == ["shared", "source"])
      }
    }

    @Test func `a container is not added to an installation that exists`() async throws {
      try await withSource { place in
        try place.move(Self.chosen, .begunAnew)
        let second: Set = [Self.two.container]
        let shared = #expect(throws: BackupFailure.self) { try place.move(second) }
        #expect(shared?.description.contains("cannot be added to an installation") == true)
        let database = #expect(throws: BackupFailure.self) {
          try place.move(to: "other", second)
        }
        #expect(database?.description.contains("cannot be added to an installation") == true)
      }
    }

    @Test func `a container is not copied while one of its accounts is being deleted`()
      async throws
    {
      try await withSource { place in
        let registry = DataFolder.registry(in: place["source"])
        func delete(_ account: String) throws {
          let file = try SQLiteConnection(
            path: registry.path, configuration: SQLiteSettings.copied)
          defer { file.close() }
          try file.define(
            """
            INSERT INTO account_removals (
                id, account, public_records, begun_at, checked, step, public_after, counts)
              VALUES ('r-\(account)', '\(account)', 'keep', 1, 0, 0, 0, '{}');
            """)
        }
        // Bob does not use the copied container.
        try delete("bob")
        try place.move(Self.chosen, .begunAnew)
        try delete("ann")
        let failure = #expect(throws: BackupFailure.self) {
          try place.move(to: "other", Self.chosen)
        }
        #expect(failure?.description.contains("being deleted") == true)
      }
    }

    /// - Parameter isFolder: whether the removals are in the journal of a restored folder, or in
    ///   the registry.
    @Test(arguments: [true, false])
    func `a container is not copied before the removals after a restored backup are applied`(
      isFolder: Bool
    ) async throws {
      try await withSource { place in
        let entry = RemovalEntry(time: 2, kind: .disabled, subject: "ann")
        let source = place["source"]
        if isFolder {
          try Data(entry.jsonBytes).write(to: source.appendingPathComponent("removals.log"))
          try Data("1".utf8).write(to: source.appendingPathComponent("removals.pending"))
        } else {
          let file = try SQLiteConnection(
            path: DataFolder.registry(in: source).path, configuration: SQLiteSettings.copied)
          defer { file.close() }
          try RegistryTables.addPending([entry], on: file)
        }
        let failure = #expect(throws: BackupFailure.self) { try place.move(Self.chosen) }
        #expect(failure?.description.contains("removals after the restored backup") == true)
        // A copy of all containers has the removals as rows.
        try place.move()
        let other = #expect(throws: BackupFailure.self) {
          try place.move(toFolder: "copy", Self.chosen)
        }
        #expect(other?.description.contains("removals after the restored backup") == true)
      }
    }

    @Test func `a damaged store is not copied, and other containers are`() async throws {
      try await withSource { place in
        try place.move()
        let schema = place.cluster.schema
        try place.cluster.withConnection { connection in
          try connection.define(
            """
            INSERT INTO "\(schema)".store_faults (number, reason)
              SELECT number, 'a table is gone' FROM "\(schema)".store_schemas
              WHERE container = '\(Self.two.container)';
            """)
        }
        let failure = #expect(throws: BackupFailure.self) { try place.move(toFolder: "copy") }
        #expect(failure?.description.contains("a table is gone") == true)
        try place.move(toFolder: "copy", Self.chosen)
      }
    }

    @Test func `a container whose files are in a bucket is not copied alone`() async throws {
      try await withSource { place in
        let name = place["source"].appendingPathComponent("assets-place")
        try Data("s3://bucket\n".utf8).write(to: name)
        let failure = #expect(throws: BackupFailure.self) { try place.move(Self.chosen) }
        #expect(failure?.description.contains("s3://bucket") == true)
      }
    }
  }

  @Suite struct `The tables of a registry` {
    @Test func `a copy of single containers has a rule for every table and column`() throws {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-rules-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let registry = try SQLiteTableSet(creating: folder.appendingPathComponent("a.sqlite")) {
        (connection) throws(ServerError) in
        try RegistryTables.prepare(on: connection, upgrade: nil)
      }
      let tables = try registry.tables()
      #expect(Set(tables.map(\.name)) == Set(RegistrySelection.rules.keys))
      for table in tables {
        let column: String? =
          switch RegistrySelection.rules[table.name] {
          case .ofContainer(let column), .ofAccount(let column): column
          case .limitedMembers: "containers"
          case .auditEntries: "container"
          case .all, .omitted, nil: nil
          }
        guard let column else { continue }
        #expect(table.columns.contains { $0.name == column }, "\(table.name)")
      }
      try registry.close()
    }
  }
#endif
