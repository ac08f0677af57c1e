import Foundation
import StoreTestSupport
import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `Disk space` {
  @Test(.timeLimit(.minutes(15)))
  func `the disk space of deleted data is returned while the store is open`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { stores in
        let store = try await stores.store(at: development)
        try await store.fillAndEmpty()
        while try await ReturnSpace(store: store).step() {}
        // SQLite's log is copied and truncated on threads of the writer.
        while bytes(in: url) > 6_000_000 { await moment() }
        #expect(try await store.names().count == 41)
      }
    }
  }

  /// Other writers wait until a step has finished, so a step returns only a few pages.
  @Test func `disk space is returned in steps of a bounded size`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      try await store.fillAndEmpty()
      let before = try await store.unusedPages()
      #expect(before > 3 * 256 + 1_024)
      #expect(try await ReturnSpace(store: store).step())
      #expect(try await store.unusedPages() == before - 256)
    }
  }

  @Test func `disk space that the next writes need is kept`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      try await store.fillAndEmpty()
      while try await ReturnSpace(store: store).step() {}
      let left = try await store.unusedPages()
      #expect((700..<1_024).contains(left))
      #expect(try await !ReturnSpace(store: store).step())
      #expect(try await store.unusedPages() == left)
    }
  }

  @Test
  func `only a compaction returns the unused disk space of an earlier version's file`() async throws
  {
    try await withTemporaryFolder { url in
      try makeEarlierFile(in: url)
      try await withStores(in: url, epoch: 1) { stores in
        let store = try await stores.store(at: development)
        try await store.fillAndEmpty()
        #expect(try await !ReturnSpace(store: store).step())
      }
      let sizes = try compact(url)
      #expect(sizes.before > 15_000_000)
      #expect(sizes.after < 450_000)
      #expect(bytes(in: url) == sizes.after)
      try await withStores(in: url, epoch: 2) { stores in
        let store = try await stores.store(at: development)
        #expect(try await store.names().count == 41)
        let epoch = try await store.read { (store) throws(ServerError) in
          try store.epoch(of: DatabaseKey.public)
        }
        #expect(epoch == 1)
        try await store.fillAndEmpty()
        #expect(try await ReturnSpace(store: store).step())
      }
    }
  }

  @Test func `the file that an interrupted compaction left is deleted`() async throws {
    try await withTemporaryFolder { url in
      let left = url.appendingPathComponent(".partial.sqlite")
      for isStart in [true, false] {
        try await withStores(in: url, epoch: 1) { stores in
          try await stores.store(at: development).save("one")
          try Data("left".utf8).write(to: left)
          if isStart { try await stores.takeStock() }
        }
        if !isStart { _ = try compact(url) }
        #expect(!FileManager.default.fileExists(atPath: left.path))
      }
    }
  }

  /// Lets other threads run.
  private func moment() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        poll(nil, 0, 2)
        continuation.resume()
      }
    }
  }

  private func compact(_ url: URL) throws -> FolderCompaction.Sizes {
    let folder = try DataFolder(url)
    defer { folder.unlock() }
    return try FolderCompaction(of: folder).compactStore(at: development)
  }

  /// Creates a store file as version 0.1 did.
  private func makeEarlierFile(in url: URL) throws {
    let folder = url.appendingPathComponent("iCloud.org.example")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try SQLiteShell(path: folder.appendingPathComponent("development.sqlite").path)
      .execute("PRAGMA journal_mode = WAL; CREATE TABLE earlier (x); DROP TABLE earlier;")
  }

  /// The total size in bytes of a store's file and its log.
  private func bytes(in url: URL) -> Int64 {
    ["", "-wal"].reduce(0) { sum, suffix in
      let file = url.appendingPathComponent("iCloud.org.example/development.sqlite" + suffix)
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      return sum + Int64(attributes?[.size] as? Int ?? 0)
    }
  }
}

extension Store {
  /// Saves 16 MB of records. Then saves the same records without their texts.
  fileprivate func fillAndEmpty() async throws {
    let text = [UInt8](repeating: UInt8(ascii: " "), count: 400_000)
    for index in 0..<40 { try await save("\(index)", text: text) }
    for index in 0..<40 { try await save("\(index)") }
    try await save("last")
  }
}

extension SQLStore where Engine == SQLiteFile<StoreSession> {
  fileprivate func unusedPages() async throws -> Int64 {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.first(SQLStatement("PRAGMA freelist_count"), []) { $0.integer(0) } ?? 0
    }
  }
}
