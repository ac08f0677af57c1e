import StratusDomain

/// The tables of the counted bytes and of the quotas of single users, added with layout 10.
///
/// The usage of a zone is the sum of its rows in `usage` and of the column `zones.recent_usage`
/// (see ``RecentUsage``). The column `zones.used_bytes` has all bytes of the zone. The table
/// `quotas` has no column for a database, because a user has one quota in each store.
enum UsageTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE usage (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      record_type \(dialect.text) NOT NULL,
      records BIGINT NOT NULL,
      record_bytes BIGINT NOT NULL,
      asset_bytes BIGINT NOT NULL,
      PRIMARY KEY (database, zone, record_type))\(dialect.keyedTable);
    CREATE TABLE quotas (
      owner \(dialect.text) PRIMARY KEY,
      bytes BIGINT);
    """
  }

  /// The columns that layout 10 added to zones.
  static func zoneColumns(_ dialect: SQLDialect) -> String {
    """
    ALTER TABLE zones ADD COLUMN used_bytes BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN recent_usage \(dialect.text) NOT NULL DEFAULT '';
    """
  }

  /// Counts all records of a store of an earlier layout. The records and holds are read once.
  static func countAll(_ dialect: SQLDialect) -> String {
    """
    INSERT INTO usage (database, zone, record_type, records, record_bytes, asset_bytes)
      SELECT records.database, records.zone, type, COUNT(*),
        SUM(LENGTH(CAST(records.name AS \(dialect.bytes))) + LENGTH(fields)), 0
      FROM records JOIN zones ON zones.zone = records.zone AND zones.deleted = 0
      WHERE records.deleted = 0 GROUP BY records.database, records.zone, type;
    INSERT INTO usage (database, zone, record_type, records, record_bytes, asset_bytes)
      SELECT records.database, records.zone, records.type, 0, 0, SUM(assets.size)
      FROM asset_holds
      JOIN assets ON assets.checksum = asset_holds.checksum
      JOIN records ON records.database = asset_holds.database
        AND records.zone = asset_holds.zone AND records.name = asset_holds.name
      JOIN zones ON zones.zone = records.zone AND zones.deleted = 0
      WHERE records.deleted = 0 GROUP BY records.database, records.zone, records.type
      ON CONFLICT (database, zone, record_type) DO UPDATE SET asset_bytes = excluded.asset_bytes;
    UPDATE zones SET used_bytes = COALESCE((
      SELECT SUM(record_bytes + asset_bytes) FROM usage
      WHERE usage.database = zones.database AND usage.zone = zones.zone), 0)
    WHERE deleted = 0;
    """
  }
}
