import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

@Suite struct `Keys of a store of layout 10` {
  /// The SQL that turns a current store into a store of layout 10. Layout 11 adds a column, and
  /// layout 12 adds three tables and two columns. See also ``NumberUpgradeTests/older``.
  private static let older =
    NumberUpgradeTests.older + """
      DROP TABLE record_versions;
      DROP TABLE kept_zones;
      DROP TABLE version_extent;
      ALTER TABLE zones DROP COLUMN version_count;
      ALTER TABLE zones DROP COLUMN version_bytes;
      ALTER TABLE zone_keys DROP COLUMN root;
      UPDATE store SET layout = 10;
      """

  private static func key(_ byte: UInt8, root: String? = nil) -> WrappedZoneKey {
    WrappedZoneKey(
      keyID: [UInt8](repeating: byte, count: 8), recipient: [UInt8](repeating: 1, count: 32),
      wrapped: [1, byte], rootRecordName: root)
  }

  @Test func `an upgraded store keeps its zone keys, and can store the keys of hierarchies`()
    async throws
  {
    let address = DatabaseKey.private(owner: "ann")
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        try await stores.store(at: development).write { (body) throws(ServerError) in
          try body.add(Self.key(1), to: try body.createZone(named: "Notes", in: address))
        }
      }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      try SQLiteShell(path: path).write(Self.older)
      try await withStores(in: url, epoch: 7) { stores in
        let keys = try await stores.store(at: development).write { (body) throws(ServerError) in
          guard let zone = try body.zone(named: "Notes", in: address) else {
            throw ServerError.fault("the zone is gone")
          }
          try body.add(Self.key(2, root: "Rome"), to: zone)
          return try body.zoneKeys(of: zone)
        }
        #expect(keys == [Self.key(1), Self.key(2, root: "Rome")])
      }
    }
  }
}
