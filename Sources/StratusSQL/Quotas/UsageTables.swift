import StratusDomain

/// The tables of the counted bytes and of the quotas of single users, added with layout 9.
///
/// The quotas belong to the store, because a user has one quota in it.
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

  /// Counts all records of a store of an earlier layout. The records and holds are read once.
  static let countAll = """
    INSERT INTO usage (database, zone, record_type, records, record_bytes, asset_bytes)
      SELECT records.database, records.zone, type, COUNT(*),
        SUM(LENGTH(CAST(records.name AS BLOB)) + LENGTH(fields)), 0
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
    """
}
