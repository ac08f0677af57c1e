import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

@Suite struct `A store of layout 11` {
  private static let ann = DatabaseKey.private(owner: "_ann")
  /// Layout 12 adds three tables and two columns. See also ``NumberUpgradeTests/older``.
  private static let older =
    NumberUpgradeTests.older + """
      DROP TABLE record_versions;
      DROP TABLE kept_zones;
      DROP TABLE version_extent;
      ALTER TABLE zones DROP COLUMN version_count;
      ALTER TABLE zones DROP COLUMN version_bytes;
      UPDATE store SET layout = 11;
      """

  @Test func `an upgraded store keeps its records and can keep versions`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        try await stores.store(at: development).write { (body) throws(ServerError) in
          let zone = try body.createZone(named: "Notes", in: Self.ann)
          try body.apply(
            ChangeSet(zone: zone, records: [record("a", 1, Array("{}".utf8))]))
        }
      }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      try SQLiteShell(path: path).write(Self.older)
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        #expect(
          try await store.read { (body) throws(ServerError) in try body.versionExtent() } == nil)
        let old = try await store.write { (body) throws(ServerError) -> StoredRecord? in
          var settings = try body.schema().settings
          settings.versionDays = 3
          try body.set(settings)
          try body.beginVersions(at: 5)
          guard let zone = try body.lockZone(named: "Notes", in: Self.ann) else { return nil }
          var changed = record("a", 2, Array("{\"a\":1}".utf8))
          changed.modified.timestamp = 9
          try body.apply(ChangeSet(zone: zone, records: [changed]))
          guard let past = try body.pastZone(at: zone.address, time: 8) else { return nil }
          return try body.pastRecord(named: "a", in: past)
        }
        #expect(old?.fields.text == Array("{}".utf8))
        let extent = try await store.read { (body) throws(ServerError) in try body.versionExtent() }
        #expect(extent == VersionExtent(since: 5, count: 1, bytes: 3, keptZones: 0))
      }
    }
  }
}
