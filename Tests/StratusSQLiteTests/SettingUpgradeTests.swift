import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQL
import Testing

@testable import StratusSQLite

@Suite struct `Settings of a store of layout 8` {
  /// The SQL that turns a current store into a store of layout 8. Layout 9 adds a table and a
  /// column, layout 10 adds two tables and two columns, layout 11 adds a column, and layout 12 adds
  /// three tables and two columns. See also ``NumberUpgradeTests/older``.
  private static let older =
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
      """

  @Test func `an upgraded store keeps its settings, and can store the fallback URL of shares`()
    async throws
  {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        try await stores.store(at: development).write { (body) throws(ServerError) in
          try body.set(ContainerSettings(allowsQueryExtensions: true))
        }
      }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      try SQLiteShell(path: path).write(Self.older)
      var expected = ContainerSettings(allowsQueryExtensions: true)
      for page in ["https://a.example", "https://b.example"] {
        try await withStores(in: url, epoch: 7) { [expected] stores in
          let store = try await stores.store(at: development)
          let found = try await store.read { (body) throws(ServerError) in
            try body.schema().settings
          }
          #expect(found == expected)
          try await store.write { (body) throws(ServerError) in
            var changed = found
            changed.shareFallbackURL = page
            try body.set(changed)
          }
        }
        expected.shareFallbackURL = page
      }
    }
  }
}
