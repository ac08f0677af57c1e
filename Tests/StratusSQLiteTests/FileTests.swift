import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `SQLite file` {
  /// A commit that is not flushed could be lost in a power failure after its acknowledgement.
  @Test func `the writer's settings make SQLite flush every commit`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      let (synchronous, mode) = try await store.engine.write { (session) throws(ServerError) in
        (
          try session.connection.first(Pragma.synchronous, []) { $0.integer(0) },
          try session.connection.first(Pragma.journalMode, []) { $0.text(0) }
        )
      }
      #expect(synchronous == 2)
      #expect(mode == "wal")
    }
  }

  #if os(Linux)
    /// Operators see the thread's name in lists of threads.
    @Test func `the writer's thread has a name`() async throws {
      try await withStores { stores in
        try await stores.store(at: development).save("one")
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let names = threads.map { thread in
          // The thread may have ended after the directory was read.
          (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) ?? ""
        }
        #expect(names.contains("stratus-writer\n"))
      }
    }
  #endif

  @Test func `a connection for reading cannot write`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      await #expect(throws: ServerError.self) {
        try await store.engine.read { (session) throws(ServerError) in
          _ = try session.createZone(named: "Notes", in: .public)
        }
      }
      #expect(try await store.names() == [])
    }
  }

  @Test func `a file that is opened again has its records and its epoch`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 11) { stores in
        let store = try await stores.store(at: development)
        for name in ["one", "two"] { try await store.save(name) }
      }
      try await withStores(in: url, epoch: 12) { stores in
        let store = try await stores.store(at: development)
        #expect(try await store.names() == ["one", "two"])
        #expect(
          try await store.read { (body) throws(ServerError) in
            try body.epoch(of: DatabaseKey.public)
          } == 11)
      }
    }
  }

  /// The files are copied while the server runs, so they are like the files of a killed server.
  @Test func `an acknowledged write is in the copied files`() async throws {
    try await withTemporaryFolder { url in
      try await withTemporaryFolder { copy in
        try await withStores(in: url, epoch: 1) { stores in
          try await stores.store(at: development).save("one")
          try FileManager.default.copyItem(at: url, to: copy)
        }
        try await withStores(in: copy, epoch: 2) { stores in
          let names = try await stores.store(at: development).names()
          #expect(names == ["one"])
        }
      }
    }
  }

  @Test func `containers and environments have separate files`() async throws {
    try await withStores { stores in
      let production = StoreAddress(
        container: development.container, environment: .production)
      try await stores.store(at: development).save("one")
      #expect(try await stores.store(at: production).names() == [])
      #expect(try await stores.store(at: development).names() == ["one"])
    }
  }

  @Test func `a transaction is rolled back even if its body catches an SQL error`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      try await store.save("one")
      await #expect(throws: ServerError.self) {
        try await store.engine.write { (session) throws(ServerError) in
          _ = try session.createZone(named: "Lost", in: .public)
          do throws(ServerError) {
            _ = try session.createZone(named: "Notes", in: .public)
          } catch {
            return
          }
        }
      }
      let lost = try await store.read { (body) throws(ServerError) in
        try body.zone(named: "Lost", in: .public)
      }
      #expect(lost == nil)
    }
  }

  @Test func `a file of a newer version is refused`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { stores in
        _ = try await stores.store(at: development)
      }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      try SQLiteShell(path: path).write("UPDATE store SET layout = 1000")
      try await withStores(in: url, epoch: 1) { stores in
        await #expect(throws: ServerError.self) { try await stores.store(at: development) }
      }
    }
  }

  /// A limit on the file's pages simulates a full disk.
  @Test
  func `a write that fails for lack of disk space does not affect other writes`() async throws {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      try await store.save("first")
      try await store.engine.write { (session) throws(ServerError) in
        _ = try session.connection.first(Pragma.fewPages, []) { $0.integer(0) }
      }
      let large = [UInt8](repeating: UInt8(ascii: " "), count: 1_000_000)
      let kept = await withTaskGroup(of: Bool.self) { group in
        for index in 0..<40 {
          group.addTask {
            do throws(ServerError) {
              try await store.save("\(index)", text: index % 10 == 5 ? large : [])
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(kept == 36)
      #expect(Set(try await store.names()).count == 37)
      try await store.engine.write { (session) throws(ServerError) in
        _ = try session.connection.first(Pragma.manyPages, []) { $0.integer(0) }
      }
      try await store.save("large", text: large)
      #expect(try await store.names().contains("large"))
    }
  }

  /// Writes much more data than the log may contain, and reads after each write.
  @Test func `the write-ahead log stays small during constant writes`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { stores in
        let store = try await stores.openStore(at: development)
        let text = [UInt8](repeating: UInt8(ascii: " "), count: 1_000_000)
        for index in 0..<150 {
          try await store.save("\(index % 4)", text: text)
          _ = try await store.names()
        }
        let log = url.appendingPathComponent("iCloud.org.example/development.sqlite-wal").path
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect(try #require(size) < 64_000_000)
      }
    }
  }
}

private enum Pragma {
  static let synchronous = SQLStatement("PRAGMA synchronous")
  static let fewPages = SQLStatement("PRAGMA max_page_count = 100")
  static let manyPages = SQLStatement("PRAGMA max_page_count = 100000")
  static let journalMode = SQLStatement("PRAGMA journal_mode")
}
