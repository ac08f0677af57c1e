import Foundation
import StratusConformance
import StratusWire
import Synchronization
import Testing

@testable import StratusDomain
@testable import StratusSQL
@testable import StratusSQLite

/// Opens one file as two stores. They behave like stores of two nodes, as far as SQLite allows.
private func withPair(
  _ body: (_ one: SQLiteStore, _ other: SQLiteStore) async throws -> Void
) async throws {
  try await withTemporaryFolder { url in
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let path = url.appendingPathComponent("store.sqlite").path
    func open() throws -> SQLiteStore {
      SQLiteStore(
        engine: try SQLiteFile(path: path) { (connection) throws(ServerError) in
          try StoreTables.prepare(on: connection, makeEpoch: { 7 })
        })
    }
    let (one, other) = (try open(), try open())
    func close() async {
      await one.engine.close()
      await other.engine.close()
    }
    do { try await body(one, other) } catch {
      await close()
      throw error
    }
    await close()
  }
}

@Suite struct `Two stores on one file` {
  @Test(arguments: StoreConformance.pairChecks)
  func `two stores on one file pass the conformance suite for several nodes`(
    _ check: ConformanceCheck<StorePair>
  ) async throws {
    try await withPair { one, other in
      try await check.run { StorePair(one: one, other: other) }
    }
  }

  /// The first store has already read and written with the old epoch.
  @Test func `a store uses the new epoch that another store on its file has begun`() async throws {
    let ann = DatabaseKey.private(owner: "_ann")
    try await withPair { one, other in
      _ = try await one.write { (body) throws(ServerError) in
        try body.createZone(named: "Notes", in: ann)
      }
      func epochs() async throws -> [Int64] {
        let written = try await one.write { (body) throws(ServerError) in
          _ = try body.lockZone(named: "Notes", in: ann)
          return [try body.epoch(of: ann), try body.epoch(of: .private(owner: "_bob"))]
        }
        let read = try await one.read { (body) throws(ServerError) in
          [try body.epoch(of: ann), try body.epoch(of: .shared(user: "_ann"))]
        }
        return written + read
      }
      #expect(try await epochs() == [7, 7, 7, 7])
      try await other.engine.write { (session) throws(ServerError) in
        try StoreTables.beginTimeline(epoch: 8, now: 0, on: session.connection)
      }
      #expect(try await epochs() == [8, 8, 8, 8])
    }
  }
}

@Suite struct `Two registries on one file` {
  @Test(arguments: RegistryConformance.pairChecks)
  func `two registries on one file pass the conformance suite for several processes`(
    _ check: ConformanceCheck<RegistryPair>
  ) async throws {
    try await withTemporaryFolder { url in
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let one = try SQLiteRegistry(folder: folder)
      let other = try SQLiteRegistry(folder: folder)
      do { try await check.run { RegistryPair(one: one, other: other) } } catch {
        await one.close()
        await other.close()
        throw error
      }
      await one.close()
      await other.close()
    }
  }
}

/// Each process collects in memory which indexes its queries have read, until `noteUses()` writes
/// them to the store.
@Suite struct `An index that two processes use` {
  @Test func `an index is not dropped while one of two processes reads it`() async throws {
    try await withPair { one, other in
      let index = try await one.write { (body) throws(ServerError) in
        try body.add(
          SchemaAddition(
            recordTypes: ["Note"],
            fields: [.init(recordType: "Note", name: "title", type: FieldType(.string))]))
        let index = try body.addIndex(
          recordType: "Note", columns: [IndexColumn(.field("title"))])
        try body.setBuildCursor(nil, of: index.id)
        return index.id
      }
      let clock = Mutex<Int64>(0)
      let ambient = Ambient(now: { clock.withLock { $0 } }, makeUUID: { "U" })
      let place = StoreAddress(container: "iCloud.a", environment: .development)
      let (reads, sweeps) = (IndexUses(), IndexUses())
      let reader = DropUnusedIndexes(store: one, at: place, uses: reads, ambient: ambient)
      let sweeper = DropUnusedIndexes(store: other, at: place, uses: sweeps, ambient: ambient)
      func isThere() async throws -> Bool {
        try await one.read { (body) throws(ServerError) in
          try body.schema().indexes.values.joined().contains { $0.id == index }
        }
      }
      for day in 0..<(3 * Limits.indexUnusedDaysMax) {
        clock.withLock { $0 = day * 86_400_000 }
        reads.note(index, at: place)
        // The other process does all removals, so this process only records which indexes it has
        // read.
        try await reader.noteUses()
        while try await sweeper.step() {}
      }
      #expect(try await isThere())
      clock.withLock { $0 += (Limits.indexUnusedDaysMax + 1) * 86_400_000 }
      while try await sweeper.step() {}
      #expect(try await !isThere())
    }
  }
}
