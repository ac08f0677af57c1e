import Foundation
import StratusConformance
import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Opens one file as two stores, which are two nodes as far as SQLite allows.
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
  func `pass the conformance suite for several nodes`(
    _ check: ConformanceCheck<StorePair>
  ) async throws {
    try await withPair { one, other in
      try await check.run { StorePair(one: one, other: other) }
    }
  }

  /// Readers and writers have used the old epoch before.
  @Test func `notice a new epoch`() async throws {
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
