import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Upgrades a store of a version that did not count bytes.
@Suite struct `A store of layout 8` {
  private static let ann = DatabaseKey.private(owner: "_ann")

  /// Saves two records in each of two zones, and then deletes one of the zones.
  private func fill(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      _ = try body.register(
        StoredAsset(checksum: [1], file: "a file", size: 1_000, touched: 0))
      for name in ["Notes", "Gone"] {
        let zone = try body.createZone(named: name, in: Self.ann)
        let hold = AssetHold(checksum: [1], recordName: "ü")
        var rows = RowChanges()
        rows.added.holds = [hold]
        let records = [record("ü", 1, Array("{}".utf8)), record("b", 2, Array("{\"a\":1}".utf8))]
        try body.apply(ChangeSet(zone: zone, records: records, rows: rows))
      }
      guard let gone = try body.zone(named: "Gone", in: Self.ann) else {
        throw .fault("no zone")
      }
      try body.deleteZone(gone, reason: .deleted, at: 1)
    }
  }

  @Test func `an upgraded store counts the records, bytes and files of live zones`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        try await fill(try await stores.store(at: development))
      }
      let file = url.appendingPathComponent(development.container)
        .appendingPathComponent("\(development.environment.rawValue).sqlite")
      try SQLiteShell(path: file.path).write(
        NumberUpgradeTests.older + """
          DROP TABLE record_versions;
          DROP TABLE kept_zones;
          DROP TABLE version_extent;
          ALTER TABLE zones DROP COLUMN version_count;
          ALTER TABLE zones DROP COLUMN version_bytes;
          DROP TABLE setting_texts;
          ALTER TABLE zone_keys DROP COLUMN retired;
          ALTER TABLE zone_keys DROP COLUMN root;
          DROP TABLE usage;
          DROP TABLE quotas;
          ALTER TABLE zones DROP COLUMN used_bytes;
          ALTER TABLE zones DROP COLUMN recent_usage;
          UPDATE store SET layout = 8;
          """)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          let (usage, bytes) = try await stores.store(at: development).read {
            (body) throws(ServerError) in
            (try body.usage(of: Self.ann), try body.usedBytes(of: Self.ann))
          }
          // The name `ü` has two bytes.
          #expect(
            usage == [
              TypeUsage(
                recordType: "Note",
                usage: Usage(records: 2, recordBytes: 2 + 2 + 1 + 7, assetBytes: 1_000))
            ])
          #expect(bytes == 1_012)
        }
      }
    }
  }
}
