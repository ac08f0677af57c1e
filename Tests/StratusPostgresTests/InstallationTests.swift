#if Postgres
  import Foundation
  import StoreTestSupport
  import StratusDomain
  import StratusServer
  import StratusWire
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// The ID of an installation decides which one may remove files from a bucket.
  @Suite(.enabled(if: TestServer.isThere)) struct `The ID of an installation in PostgreSQL` {
    /// Starts a node, and returns the ID of the installation.
    private func id(of cluster: TestCluster, orKeep id: String) async throws -> String {
      let node = try await cluster.node()
      let found: Result<String, any Error>
      do { found = .success(try await node.registry.installationID(orKeep: id)) } catch {
        found = .failure(error)
      }
      await node.close()
      return try found.get()
    }

    @Test(arguments: [InstallationCopy.History.moved, .begunAnew])
    func `of a folder and its copy in PostgreSQL, only one keeps the ID`(
      history: InstallationCopy.History
    ) async throws {
      let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-id-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: root) }
      let folder = root.appendingPathComponent("data")
      try await withCluster { cluster in
        let first = try await installationID(in: folder, orKeep: "one")
        #expect(first == "one")
        _ = try InstallationCopy.run(
          from: .folder(folder), to: .postgres(try #require(TestServer.url)),
          shared: root.appendingPathComponent("shared"), history: history, schema: cluster.schema)
        let (target, source) = (
          try await id(of: cluster, orKeep: "target"),
          try await installationID(in: folder, orKeep: "source")
        )
        #expect(target == (history == .moved ? "one" : "target"))
        #expect(source == (history == .moved ? "source" : "one"))
      }
    }

    @Test func `a database whose history was moved to a folder gets another ID`() async throws {
      try await withCluster { cluster in
        let first = try await id(of: cluster, orKeep: "one")
        #expect(first == "one")
        let source = try PostgresInstallation(
          try cluster.settings, now: { 0 }, makeEpoch: { 1 })
        try source.renewEpochs(ofContainers: nil)
        let none = try source.installationID()
        source.close()
        #expect(none == nil)
        let second = try await id(of: cluster, orKeep: "two")
        #expect(second == "two")
      }
    }

    /// The guide lets the operator change `timelines.cluster` after a restore of a dump. A failover
    /// changes only the number of the timeline.
    @Test(arguments: [("cluster = 'restored'", "two"), ("timeline = timeline + 100", "one")])
    func `a restored dump gets another ID, and an installation after a failover keeps its ID`(
      change: String, expected: String
    ) async throws {
      try await withCluster { cluster in
        let first = try await id(of: cluster, orKeep: "one")
        #expect(first == "one")
        try cluster.withConnection { connection in
          try connection.define("UPDATE \"\(cluster.schema)\".timelines SET \(change);")
        }
        let second = try await id(of: cluster, orKeep: "two")
        #expect(second == expected)
        let third = try await id(of: cluster, orKeep: "three")
        #expect(third == expected)
      }
    }
  }
#endif
