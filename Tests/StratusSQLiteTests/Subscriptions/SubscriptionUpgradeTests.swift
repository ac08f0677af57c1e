import Foundation
import GRDB
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQLite

/// Layout 3 only adds tables, so a store of layout 2 is one without them.
@Suite struct `A store of the second version` {
  private static let tables: Set<String> = [
    "store", "databases", "zones", "records", "record_types", "fields", "system_fields",
    "settings", "indexes", "entries", "links", "cascades", "assets", "asset_holds", "user_keys",
    "zone_keys",
  ]

  private func takeBackToTwo(in url: URL) throws {
    let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
    let queue = try DatabaseQueue(path: path)
    let dropped = try queue.write { database in
      let names = try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      let new = names.filter { !Self.tables.contains($0) }
      for name in new { try database.execute(sql: "DROP TABLE \(name)") }
      try database.execute(sql: "UPDATE store SET layout = 2")
      return (new, names.count)
    }
    try queue.close()
    #expect(dropped.0.contains("subscriptions"))
    #expect(dropped.1 - dropped.0.count == Self.tables.count)
  }

  @Test func `keeps its records, and can be watched`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 42) { stores in
        try await stores.store(at: development).save("old")
      }
      try takeBackToTwo(in: url)
      for round in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          let store = try await stores.store(at: development)
          #expect(try await store.names() == ["old"])
          let (epoch, subscriptions, entries) = try await store.read { (body) throws(ServerError) in
            (
              try body.epoch(),
              try body.subscriptions(of: "_ann", in: .public, limit: 9).count,
              try body.outboxEntries(limit: 9).count
            )
          }
          #expect(epoch == 42)
          #expect(subscriptions == round)
          #expect(entries == 0)
          try await store.write { (body) throws(ServerError) in
            try body.save(
              Subscription(id: "s", .database(recordType: nil)), of: "_ann", in: .public,
              under: .database)
          }
        }
      }
    }
  }
}
