import Foundation
import GRDB
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// The registry file of the first version of Stratus.
@Suite struct `A registry of layout 1` {
  private static let token = String(repeating: "0a", count: 32)

  private func make(in url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: url.appendingPathComponent("server.sqlite").path)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE registry (layout BIGINT NOT NULL);
          INSERT INTO registry VALUES (1);
          CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE,
            disabled BIGINT NOT NULL);
          CREATE TABLE containers (id TEXT PRIMARY KEY);
          CREATE TABLE api_tokens (token TEXT PRIMARY KEY, container TEXT NOT NULL,
            environment TEXT NOT NULL);
          CREATE TABLE sessions (id TEXT PRIMARY KEY, account TEXT NOT NULL,
            container TEXT NOT NULL, environment TEXT NOT NULL);
          CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
          INSERT INTO accounts VALUES ('1', 'ann@example.org', 0);
          INSERT INTO containers VALUES ('iCloud.org.example');
          INSERT INTO api_tokens VALUES ('\(Self.token)', 'iCloud.org.example', 'development');
          INSERT INTO sessions VALUES ('s1', '1', 'iCloud.org.example', 'development');
          INSERT INTO secrets VALUES ('web auth tokens', x'0102');
          """)
    }
    try queue.close()
  }

  /// The digest takes the place of SHA-256, which these tests cannot import.
  private static let upgrade = RegistryTables.Upgrade(
    digest: { [UInt8($0.count), 1, 2, 3, 4, 5, 6, 7, 8] }, now: 1_000, sessionMilliseconds: 90)

  @Test func `keeps everything after the upgrade, and no token in clear text`() async throws {
    try await withTemporaryFolder { url in
      try make(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for _ in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder, upgrade: Self.upgrade)
        #expect(try await registry.accounts().map(\.email) == ["ann@example.org"])
        #expect(try await registry.containers() == ["iCloud.org.example"])
        let token = try #require(try await registry.apiToken(hash: [64, 1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(token.id == "4001020304050607")
        #expect(token.store == development)
        #expect(token.allowedOrigins == nil)
        let session = try #require(try await registry.session(id: "s1"))
        #expect(
          session
            == Session(
              id: "s1", accountID: "1", store: development, createdAt: 1_000,
              lastUsedAt: 1_000, endsAt: 1_090))
        #expect(try await registry.earlierSecrets() == ["web auth tokens": [1, 2]])
        #expect(try await registry.sessionsWithoutUser(limit: 9).map(\.accountID) == ["1"])
        await registry.close()
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let bytes = try Data(contentsOf: url.appendingPathComponent(name))
        #expect(bytes.range(of: Data(Self.token.utf8)) == nil, "\(name)")
      }
    }
  }

  @Test func `is refused if no upgrade is given`() async throws {
    try await withTemporaryFolder { url in
      try make(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      #expect(throws: ServerError.self) { try SQLiteRegistry(folder: folder) }
    }
  }
}

@Suite struct `A data folder without the server's own file` {
  @Test func `is refused if it contains stores`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { _ = try await $0.store(at: development) }
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let error = #expect(throws: DataFolderError.self) { try folder.requireRegistry() }
      #expect(error?.description.contains("server.sqlite is missing") == true)
    }
  }

  @Test func `gets a new file if it contains no store`() async throws {
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      try folder.requireRegistry()
    }
  }
}

@Suite struct `A registry of a newer version` {
  /// Restoring a backup would lose what the newer version has written.
  @Test func `is refused with the advice to start that version`() async throws {
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      try await SQLiteRegistry(folder: folder).close()
      let queue = try DatabaseQueue(path: url.appendingPathComponent("server.sqlite").path)
      try await queue.write { try $0.execute(sql: "UPDATE registry SET layout = 1000") }
      try queue.close()
      let error = #expect(throws: ServerError.self) { try SQLiteRegistry(folder: folder) }
      #expect(error?.hint == "start that version, or a later one")
    }
  }
}

/// The registry file of the last version that allowed only one process.
@Suite struct `A registry of layout 2` {
  private func makeOld(in url: URL) async throws {
    let folder = try DataFolder(url)
    defer { folder.unlock() }
    let registry = try SQLiteRegistry(folder: folder)
    _ = try await registry.create(Account(id: "1", email: "ann@example.org", isDisabled: false))
    await registry.close()
    let queue = try DatabaseQueue(path: url.appendingPathComponent("server.sqlite").path)
    try await queue.write { database in
      try database.execute(
        sql: "ALTER TABLE registry DROP COLUMN version; UPDATE registry SET layout = 2;")
    }
    try queue.close()
  }

  @Test func `keeps its accounts, and counts changes after the upgrade`() async throws {
    try await withTemporaryFolder { url in
      try await makeOld(in: url)
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for version: Int64 in 0..<2 {
        let registry = try SQLiteRegistry(folder: folder)
        #expect(try await registry.version() == version)
        #expect(try await registry.accounts().map(\.email) == ["ann@example.org"])
        _ = try await registry.setDisabled(true, accountID: "1")
        await registry.close()
      }
    }
  }
}
