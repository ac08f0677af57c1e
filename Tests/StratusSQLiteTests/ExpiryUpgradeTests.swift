import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// The sample store has a zone with a tombstone (change number 5, deletion time 11). It also has a
/// deleted zone, whose deletion has change number 2 in its database.
@Suite struct `A store of an earlier version` {
  private static let ann = DatabaseKey.private(owner: "_ann")

  private func withUpgradedStore(
    _ layout: Int, now: Int64, _ body: (any Store) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { url in
      switch layout {
      case 1: try LayoutOne.make(in: url)
      case 2: try LayoutTwo.make(in: url)
      case 3: try LayoutThree.make(in: url)
      case 4: try LayoutFour.make(in: url)
      case _: try LayoutFive.make(in: url)
      }
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      for _ in 0..<2 {
        let stores = SQLiteStores(folder: folder, makeEpoch: { 7 }, now: { now })
        do { try await body(try await stores.store(at: development)) } catch {
          await stores.close()
          throw error
        }
        await stores.close()
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func `an upgraded store keeps its tombstones`(_ layout: Int) async throws {
    try await withUpgradedStore(layout, now: 1_000) { store in
      let (zone, ofDatabase, records, zones) = try await store.write { (body) throws(ServerError) in
        // No tombstone is older than time 11, so nothing is removed.
        while try body.expireDeletions(before: 11, limit: 10) {}
        guard let zone = try body.zone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        return (
          zone, try body.newestExpiredZone(in: Self.ann),
          try body.recordChanges(
            in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false, limit: 9,
            sizeBytesMax: .max),
          try body.zoneChanges(in: Self.ann, after: 0, limit: 9)
        )
      }
      #expect(zone.newestExpired == 0)
      #expect(ofDatabase == 0)
      #expect(records.map(\.name) == ["root", "child", "friend", "gone"])
      #expect(zones.map(\.name) == ["Notes", "Gone"])
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func `the tables of an upgraded store have a new store's indexes`(_ layout: Int) async throws {
    let statement = SQLStatement(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    func indexes(of store: any Store) async throws -> [String] {
      let handle = try #require(store as? SQLiteStoreHandle)
      let store = try await handle.entry.use(marksUse: true) { (store) throws(ServerError) in
        store
      }
      return try await store.engine.write { (session) throws(ServerError) in
        try session.connection.all(statement, []) { $0.text(0) }
      }
    }
    var new: [String] = []
    try await withStores { new = try await indexes(of: try await $0.store(at: development)) }
    #expect(new.contains("records_deleted"))
    try await withUpgradedStore(layout, now: 1_000) { store in
      let found = try await indexes(of: store)
      #expect(found == new)
    }
  }

  /// Layouts 1 to 3 do not store when a zone was deleted. An upgrade from these layouts stores the
  /// time of the upgrade as the deletion time.
  @Test(arguments: [1, 2, 3, 4, 5])
  func `an upgraded store can remove old tombstones`(_ layout: Int) async throws {
    try await withUpgradedStore(layout, now: 1_000) { store in
      let (zone, zones) = try await store.write { (body) throws(ServerError) in
        while try body.expireDeletions(before: 1_000, limit: 10) {}
        guard let zone = try body.zone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        return (zone, try body.zoneChanges(in: Self.ann, after: 0, limit: 9))
      }
      #expect(zone.newestExpired == 5)
      #expect(zones.map(\.name) == ["Notes", "Gone"])
    }
    try await withUpgradedStore(layout, now: 1_000) { store in
      let (ofDatabase, zones) = try await store.write { (body) throws(ServerError) in
        while try body.expireDeletions(before: 1_001, limit: 10) {}
        return (
          try body.newestExpiredZone(in: Self.ann),
          try body.zoneChanges(in: Self.ann, after: 0, limit: 9)
        )
      }
      #expect(ofDatabase == 2)
      #expect(zones.map(\.name) == ["Notes"])
    }
  }

  /// Earlier versions applied these grants to every record type.
  @Test(arguments: [1, 2, 3, 4, 5])
  func `an upgraded store has the grants that the earlier version applied`(_ layout: Int)
    async throws
  {
    try await withUpgradedStore(layout, now: 1_000) { store in
      let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
      #expect(
        schema.recordTypes["Note"]?.grants.roles
          == ["_world": .read, "_icloud": .create, "_creator": .write])
      #expect(schema.customRoles == [])
    }
  }
}
