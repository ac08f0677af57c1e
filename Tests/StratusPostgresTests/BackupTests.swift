#if Postgres
  import Foundation
  import StratusDomain
  import StratusServer
  import StratusSQLite
  import StratusTesting
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// Backups of PostgreSQL, and the doctor's findings.
  @Suite(.enabled(if: TestServer.isThere)) struct `Backups of PostgreSQL` {
    /// The folders of one installation. The test removes them at the end.
    private struct Folders {
      let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-backup-\(UUID().uuidString)")

      func place(of cluster: TestCluster, shared: String = "shared") throws -> PostgresPlace {
        PostgresPlace(
          url: try #require(TestServer.url), shared: self[shared], data: self["data"],
          schema: cluster.schema)
      }

      subscript(_ name: String) -> URL { root.appendingPathComponent(name) }
    }

    private func withFolders(_ body: (Folders) async throws -> Void) async throws {
      let folders = Folders()
      for name in ["shared", "data"] {
        try FileManager.default.createDirectory(
          at: folders[name], withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(folders)) } catch { outcome = .failure(error) }
      try FileManager.default.removeItem(at: folders.root)
      try outcome.get()
    }

    /// Returns the number of rows in a table of a copied file.
    private func count(_ rows: String, in file: URL) throws -> Int64? {
      let tables = try SQLiteTableSet(reading: file)
      let statement = SQLStatement("SELECT COUNT(*) FROM \(rows)")
      let count = try tables.connection.first(statement, []) { $0.integer(0) }
      try tables.close()
      return count
    }

    private func problems(of place: PostgresPlace) async -> Set<String> {
      let findings = await PostgresDoctor(place).findings()
      return Set(findings.filter { $0.severity == .problem }.map(\.name))
    }

    @Test func `a backup has the stores and accounts of an installation whose node runs`()
      async throws
    {
      try await withFolders { folders in
        try await withNodes(1) { cluster, nodes in
          let before = try await epoch(on: nodes[0])
          _ = try await nodes[0].registry.createContainer(id: "iCloud.org.example")
          let backup = folders["backup"]
          let place = try folders.place(of: cluster)
          let summary = try Backup.make(of: place, at: backup)
          #expect(summary.storesCount == 1 && summary.missingFiles.isEmpty)
          let found = try Backup.verify(backup)
          #expect(found.storesCount == 1 && found.problems.isEmpty)
          let store = backup.appendingPathComponent("iCloud.org.example/development.sqlite")
          #expect(try count("zones WHERE name = 'Notes'", in: store) == 1)
          #expect(try count("databases WHERE epoch = \(before)", in: store) == 1)
          let registry = backup.appendingPathComponent("server.sqlite")
          #expect(try count("containers", in: registry) == 1)
          #expect(try count("stores", in: registry) == 1)
          let later = try Backup.make(of: place, at: folders["later"], since: backup)
          #expect(later.storesCount == 1 && later.sharedStoresCount == 0)
        }
      }
    }

    @Test func `a backup is restored into a folder, and change tokens expire`() async throws {
      try await withFolders { folders in
        try await withNodes(1) { cluster, nodes in
          let before = try await epoch(on: nodes[0])
          _ = try Backup.make(of: try folders.place(of: cluster), at: folders["backup"])
          _ = try Backup.restore(folders["backup"], to: folders["restored"])
          let store = folders["restored"]
            .appendingPathComponent("iCloud.org.example/development.sqlite")
          #expect(try count("zones WHERE name = 'Notes'", in: store) == 1)
          #expect(try count("databases WHERE epoch = \(before)", in: store) == 0)
        }
      }
    }

    @Test func `a backup is restored into an empty database, and change tokens expire`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          let node = try await cluster.node()
          let first = try await epoch(on: node)
          await node.close()
          _ = try Backup.make(of: try folders.place(of: cluster), at: folders["backup"])
          let place = try folders.place(of: cluster, shared: "restored")
          let backup = folders["backup"]
          let failure = #expect(throws: BackupFailure.self) {
            try Backup.restore(backup, to: place)
          }
          #expect(failure?.description.contains("database") == true)
          try PostgresTestSchema(of: try cluster.settings).remove()
          let summary = try Backup.restore(backup, to: place)
          #expect(summary.storesCount == 1)
          let other = try await cluster.node()
          #expect(other.stores.hasStore(at: development))
          #expect(try await epoch(on: other) != first)
          await other.close()
          let names = try FileManager.default.contentsOfDirectory(atPath: folders.root.path)
          #expect(!names.contains { $0.contains(".partial") })
        }
      }
    }

    /// Makes a backup of an installation with one store, and removes the installation from the
    /// database.
    ///
    /// - Parameter prepare: adds other data to the installation before the backup.
    private func backUpAndRemove(
      _ cluster: TestCluster, in folders: Folders,
      prepare: (PostgresCluster) async throws -> Void = { _ in }
    ) async throws {
      try await cluster.withNode { node in
        _ = try await epoch(on: node)
        try await prepare(node)
      }
      _ = try Backup.make(of: try folders.place(of: cluster), at: folders["backup"])
      try PostgresTestSchema(of: try cluster.settings).remove()
    }

    /// Starts a server on a database, in a data folder of its own.
    private func server(
      in folder: URL, of cluster: TestCluster, log: CapturedLog
    ) async throws -> Composition {
      let live = Live()
      let storage = try await ServerStorage.inPostgres(
        try #require(TestServer.url), testSchema: cluster.schema, folder: folder, live: live,
        limits: .unpaced)
      return try await Composition(storage: storage, live: live, logger: log.logger)
    }

    /// Writes a journal that disables an account and enables another one. An entry is from before
    /// the backup.
    private func writeJournal(in folders: Folders) throws -> (file: URL, later: [RemovalEntry]) {
      let later = (Int64(1) << 50) - 1
      let entries = [
        RemovalEntry(time: 1, kind: .disabled, subject: "2"),
        RemovalEntry(time: later, kind: .disabled, subject: "1"),
        RemovalEntry(time: later + 1, kind: .enabled, subject: "3"),
      ]
      let file = folders["journal"]
      try Data(entries.flatMap { $0.jsonBytes + [UInt8(ascii: "\n")] }).write(to: file)
      return (file, Array(entries.dropFirst()))
    }

    private func removals(
      on node: PostgresCluster
    ) async throws -> (pending: [RemovalEntry], closed: [String]) {
      (try await node.registry.pendingRemovals(), try await node.registry.closedAccounts())
    }

    @Test func `a server waits while another node applies the removals after a restore`()
      async throws
    {
      try await withFolders { folders in
        try await withNodes(1) { cluster, nodes in
          let node = nodes[0]
          _ = try await node.registry.create(
            Account(id: "1", email: "ann@example.org", isDisabled: false))
          try cluster.withConnection { connection in
            try connection.beginWrite(in: cluster.schema, locks: [])
            try RegistryTables.addPending(
              [RemovalEntry(time: 1, kind: .disabled, subject: "1")], on: connection)
            try connection.commit().require()
          }
          let (log, ended) = (CapturedLog(), TestCounter())
          let everywhere = StoreAddress(container: "", environment: .production)
          let start = try await node.locks.withLock(on: .restoredRemovals, at: everywhere) {
            () async throws(ServerError) -> Task<Composition, any Error> in
            let start = Task {
              defer { _ = ended.next() }
              return try await server(in: folders["one"], of: cluster, log: log)
            }
            while !log.text.contains("waiting for another server"), ended.value == 0 {
              await Task.yield()
            }
            return start
          }
          let started = try await #require(start).value
          #expect(log.text.contains("waiting for another server"))
          await started.close()
          let (pending, closed) = try await removals(on: node)
          #expect(pending == [])
          #expect(closed == ["1"])
        }
      }
    }

    /// The operator may start any node first, or all at the same time.
    @Test func `servers that start on a restored database apply the later removals once`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          try await backUpAndRemove(cluster, in: folders) { node in
            for id in ["1", "2", "3"] {
              _ = try await node.registry.create(
                Account(id: id, email: "\(id)@example.org", isDisabled: id == "3"))
            }
          }
          let (journal, later) = try writeJournal(in: folders)
          let place = try folders.place(of: cluster, shared: "restored")
          let summary = try Backup.restore(
            folders["backup"], to: place, removals: .file(journal))
          #expect(summary.laterRemovalsCount == 2)
          let names = try FileManager.default.contentsOfDirectory(atPath: folders["data"].path)
          #expect(names == ["removals.log"])
          try await cluster.withNode { node in
            let (pending, closed) = try await removals(on: node)
            #expect(pending == later)
            #expect(closed == ["3"])
          }

          let log = CapturedLog()
          async let one = server(in: folders["one"], of: cluster, log: log)
          async let other = server(in: folders["other"], of: cluster, log: log)
          let servers = try await [one, other]
          try await cluster.withNode { node in
            let (pending, closed) = try await removals(on: node)
            #expect(pending == [])
            #expect(closed == ["1"])
          }
          for server in servers { await server.close() }
          let lines = log.text.split(separator: "\n").filter { $0.contains("removals since") }
          #expect(lines.count == 1)
          #expect(lines.first?.contains("backup: 2, applied: 2") == true)
        }
      }
    }

    @Test func `a restore notes the bucket with the assets in the data folder of the first node`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          let (bucket, name) = (Data("s3://bucket\n".utf8), "assets-place")
          try bucket.write(to: folders["data"].appendingPathComponent(name))
          try await backUpAndRemove(cluster, in: folders)
          var place = try folders.place(of: cluster, shared: "restored")
          place.data = folders["other"]
          let summary = try Backup.restore(folders["backup"], to: place)
          #expect(summary.assetsPlace == "s3://bucket")
          #expect(try Data(contentsOf: folders["other"].appendingPathComponent(name)) == bucket)
        }
      }
    }

    @Test func `a restored folder takes its later removals along to PostgreSQL`() async throws {
      try await withFolders { folders in
        try await withCluster { cluster in
          try await backUpAndRemove(cluster, in: folders)
          let restored = folders["restored"]
          let (journal, later) = try writeJournal(in: folders)
          _ = try Backup.restore(folders["backup"], to: restored, removals: .file(journal))
          _ = try InstallationCopy.run(
            from: .folder(restored), to: .postgres(try #require(TestServer.url)),
            shared: folders["moved"], history: .moved, schema: cluster.schema)
          try await cluster.withNode { node in
            let pending = try await removals(on: node).pending
            #expect(pending == later)
          }
        }
      }
    }

    /// A backup may be made before a server of the restored database has started.
    @Test func `a backup of a restored database contains the removals that are not applied yet`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          try await backUpAndRemove(cluster, in: folders)
          let (journal, _) = try writeJournal(in: folders)
          let place = try folders.place(of: cluster, shared: "restored")
          _ = try Backup.restore(folders["backup"], to: place, removals: .file(journal))
          _ = try Backup.make(of: place, at: folders["again"])
          let file = DataFolder.registry(in: folders["again"])
          #expect(try count("pending_removals", in: file) == 2)
        }
      }
    }

    @Test func `a data folder with a journal of removals is not overwritten by a restore`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          let journal = folders["data"].appendingPathComponent("removals.log")
          try Data("{}\n".utf8).write(to: journal)
          let place = try folders.place(of: cluster)
          let failure = #expect(throws: BackupFailure.self) {
            try Backup.restore(folders["backup"], to: place)
          }
          #expect(failure?.description.contains("removals.log exists already") == true)
        }
      }
    }

    @Test func `the doctor finds only the missing keys of a new installation`() async throws {
      try await withFolders { folders in
        try await withNodes(1) { cluster, nodes in
          _ = try await epoch(on: nodes[0])
          #expect(await nodes[0].stores.sizeBytes(ofStore: development) > 0)
          let findings = await PostgresDoctor(try folders.place(of: cluster)).findings()
          let problems = findings.filter { $0.severity == .problem }
          #expect(problems.map(\.name) == ["keys-missing"], "\(findings.map(\.sentence))")
          #expect(findings.contains { $0.name == "backup-none" })
        }
      }
    }

    @Test func `the doctor finds silent nodes, missing settings and incomplete indexes`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          try await cluster.withNode { node in _ = try await epoch(on: node) }
          let url = try cluster.settings.url
          let connection = try PostgresConnection(to: url, name: "stratus tests")
          defer { connection.close() }
          let installation = try PostgresInstallation(
            try cluster.settings, now: { 0 }, makeEpoch: { 1 })
          let state = try installation.state(ofStore: development)
          installation.close()
          let (schema, store) = (cluster.schema, try #require(state).schema)
          try connection.define(
            """
            INSERT INTO "\(schema)".nodes (
                node, version, started_at, seen_at, draining,
                store_oldest, store_newest, registry_oldest, registry_newest)
              VALUES ('gone', 'test', 0, 0, 0, 1, 1, 1, 1);
            ALTER TABLE "\(store)".records ALTER COLUMN zone RESET (n_distinct);
            CREATE TABLE "\(store)".doubled (number BIGINT);
            INSERT INTO "\(store)".doubled (number) VALUES (1), (1);
            """)
          // The index stays, but is not complete, because two rows are equal.
          #expect(throws: ServerError.self) {
            try connection.define(
              """
              CREATE UNIQUE INDEX CONCURRENTLY doubled_numbers ON "\(store)".doubled (number);
              """)
          }
          let found = await problems(of: try folders.place(of: cluster))
          #expect(
            found.isSuperset(of: ["node-silent", "statistics-settings", "index-invalid"]),
            "\(found)")
        }
      }
    }

    @Test func `the doctor names the damaged stores that the nodes refuse`() async throws {
      try await withFolders { folders in
        try await withNodes(1) { cluster, nodes in
          _ = try await epoch(on: nodes[0])
          try cluster.withConnection { connection in
            try connection.define(
              """
              INSERT INTO "\(cluster.schema)".store_faults (number, reason)
                SELECT number, 'a table is gone' FROM "\(cluster.schema)".store_schemas;
              """)
          }
          let findings = await PostgresDoctor(try folders.place(of: cluster)).findings()
          let found = findings.filter { $0.name == "tables-damaged" }
          #expect(found.count == 1 && found.first?.severity == .problem)
          #expect(found.first?.sentence.contains("a table is gone") == true)
          #expect(found.first?.sentence.contains(development.container) == true)
        }
      }
    }

    @Test func `the doctor reports a missing installation and an unreachable server`()
      async throws
    {
      try await withFolders { folders in
        try await withCluster { cluster in
          var place = try folders.place(of: cluster)
          #expect(await problems(of: place).contains("postgres-unreadable"))
          place.url = "postgres://127.0.0.1:1/none"
          #expect(await problems(of: place).contains("postgres-unreachable"))
          place.shared = folders["nowhere"]
          #expect(await problems(of: place).contains("shared-missing"))
        }
      }
    }
  }
#endif
