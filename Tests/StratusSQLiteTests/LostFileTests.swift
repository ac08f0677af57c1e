import Foundation
import StratusConformance
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Runs a test with a folder and a registry in memory. The registry records the epochs of stores.
private func withRegistry(_ body: (URL, MemoryRegistry) async throws -> Void) async throws {
  let registry = try MemoryRegistry()
  defer { registry.close() }
  try await withTemporaryFolder { try await body($0, registry) }
}

/// Runs a body with the stores of a folder, and closes the stores afterwards. The registry records
/// the epochs of the stores.
private func withKnownStores(
  in url: URL, _ registry: MemoryRegistry, epoch: Int64 = 7,
  now: @escaping @Sendable () -> Int64 = { 0 },
  _ body: (SQLiteStores) async throws -> Void
) async throws {
  let folder = try DataFolder(url)
  defer { folder.unlock() }
  let stores = SQLiteStores(folder: folder, registry: registry, makeEpoch: { epoch }, now: now)
  do {
    try await body(stores)
  } catch {
    await stores.close()
    throw error
  }
  await stores.close()
}

@Suite struct `Lost store files` {
  private func file(_ url: URL) -> URL {
    url.appendingPathComponent("iCloud.org.example/development.sqlite")
  }

  private func expectLost(_ stores: SQLiteStores) async {
    let error = await #expect(throws: ServerError.self) {
      try await stores.store(at: development)
    }
    #expect(error?.code == .tryAgainLater)
    #expect(error?.reason == Reason.storeLost)
    #expect(error?.retryAfterSeconds != nil)
    #expect(await stores.problems().map(\.kind) == [.lost])
  }

  @Test
  func `a missing store file is reported as a fault, and no new file is created`() async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) {
        try await $0.store(at: development).save("one")
        #expect(await $0.problems() == [])
      }
      try FileManager.default.removeItem(at: file(url).deletingLastPathComponent())
      try await withKnownStores(in: url, registry) { await expectLost($0) }
      #expect(!FileManager.default.fileExists(atPath: file(url).path))
    }
  }

  @Test func `an empty store file is detected as lost`() async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) {
        try await $0.store(at: development).save("one")
      }
      try Data().write(to: file(url))
      try await withKnownStores(in: url, registry) { await expectLost($0) }
    }
  }

  @Test func `a store file with another epoch is detected as lost`() async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) {
        try await $0.store(at: development).save("one")
      }
      try FileManager.default.removeItem(at: file(url))
      try await withStores(in: url, epoch: 99) { _ = try await $0.store(at: development) }
      try await withKnownStores(in: url, registry) { stores in
        let error = await #expect(throws: ServerError.self) {
          try await stores.store(at: development)
        }
        #expect(error?.reason == Reason.storeLost)
      }
    }
  }

  @Test
  func `the loss of an earlier version's store file is detected once this version has run`()
    async throws
  {
    try await withRegistry { url, registry in
      try await withStores(in: url, epoch: 5) { _ = try await $0.store(at: development) }
      try await withKnownStores(in: url, registry) { try await $0.takeStock() }
      #expect(try await registry.storeEpochs() == [development: 5])
      try FileManager.default.removeItem(at: file(url))
      try await withKnownStores(in: url, registry) { await expectLost($0) }
    }
  }

  @Test(arguments: ["", "-wal"])
  func `a store whose file disappears acknowledges no write`(_ suffix: String) async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) { stores in
        let store = try await stores.store(at: development)
        try await store.save("one")
        let path = file(url).path + suffix
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        let error = await #expect(throws: ServerError.self) { try await store.save("two") }
        #expect(error?.reason == Reason.storeLost)
        #expect(await stores.problems().contains { $0.kind == .lost })
        // The file is moved back. The store still refuses all requests, because commits in between
        // may have gone to another file.
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        await #expect(throws: ServerError.self) { try await store.save("three") }
        await #expect(throws: ServerError.self) { try await store.names() }
      }
    }
  }

  @Test
  func `a store whose file is replaced while the server runs acknowledges no write`() async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) { stores in
        let store = try await stores.store(at: development)
        try await store.save("one")
        let copy = file(url).appendingPathExtension("copy")
        try FileManager.default.copyItem(at: file(url), to: copy)
        #expect(rename(copy.path, file(url).path) == 0)
        let saves = await withTaskGroup(of: Bool.self) { group in
          for index in 0..<20 {
            group.addTask {
              do throws(ServerError) {
                try await store.save("\(index)")
                return true
              } catch { return false }
            }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(saves == 0)
      }
    }
  }
}

@Suite struct `Damaged store files` {
  @Test func `a damaged store file is reported before a request opens it`() async throws {
    try await withRegistry { url, registry in
      try await withKnownStores(in: url, registry) {
        try await $0.store(at: development).save("one")
      }
      let file = url.appendingPathComponent("iCloud.org.example/development.sqlite")
      try Data(repeating: 7, count: 8_192).write(to: file)
      try await withKnownStores(in: url, registry) { stores in
        #expect(await stores.problems() == [HealthProblem(.damaged, store: development)])
        await #expect(throws: ServerError.self) { try await stores.store(at: development) }
      }
    }
  }

  /// The header of a file contains the number of unused pages (https://sqlite.org/fileformat.html).
  @Test func `an inspection and a copy find a wrong number of unused pages in a file`()
    async throws
  {
    try await withTemporaryFolder { root in
      let (old, new) = (root.appendingPathComponent("old"), root.appendingPathComponent("new"))
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
      try await withStores(in: old, epoch: 7) { try await $0.store(at: development).save("one") }
      let inspection = FolderInspection(of: old, readsAll: true)
      #expect(inspection.state(ofStore: development) == .good)
      let file = DataFolder.file(of: development, in: old)
      var bytes = try Data(contentsOf: file)
      bytes.replaceSubrange(36..<40, with: [0, 0, 0, 99])
      try bytes.write(to: file)
      guard case .damaged(let damage) = inspection.state(ofStore: development) else {
        Issue.record("the inspection found no damage")
        return
      }
      #expect(damage.lowercased().contains("freelist"))
      let copy = FolderCopy(of: old, in: new, makeEpoch: { 99 }, now: { 1_000 })
      let failure = #expect(throws: ServerError.self) {
        try copy.copyStore(at: development, to: .keep)
      }
      #expect(failure?.facts["sqlite"]?.hasSuffix(damage) == true)
      #expect(failure?.facts["statement"] == "copying \(file.path)")
    }
  }
}

@Suite struct `A full disk` {
  /// A limit on the file's pages simulates a full disk.
  @Test
  func `a full disk makes writes fail until there is space, and reads continue`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      try await store.save("one")
      try await store.engine.write { (session) throws(ServerError) in
        try session.connection.define("PRAGMA max_page_count = 1")
      }
      let large = [UInt8](repeating: UInt8(ascii: " "), count: 1_000_000)
      let error = await #expect(throws: ServerError.self) {
        try await store.save("two", text: large)
      }
      #expect(error?.code == .tryAgainLater)
      #expect(error?.reason == Reason.storeFull)
      #expect(error?.retryAfterSeconds != nil)
      #expect(try await store.names() == ["one"])
      #expect(store.engine.problem == .diskFull)
      try await store.engine.write { (session) throws(ServerError) in
        try session.connection.define("PRAGMA max_page_count = 100000")
      }
      try await store.save("two", text: large)
      #expect(store.engine.problem == nil)
    }
  }
}
