import StratusDomain

/// The tables of record versions, added with layout 12.
///
/// A row of `record_versions` is the state of a record that a write replaced: `replaced` is the
/// change number of the write, and `replaced_at` is its time. If there was no record, the row is a
/// tombstone. The column `files` has the checksums of the version's files one after the other.
///
/// A row of `kept_zones` is a deleted zone (`zones.deleted = 3`) whose records are kept. The one
/// row of `version_extent` belongs to the store. It exists while the store keeps versions, and
/// afterwards until the last versions are removed.
enum VersionTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE record_versions (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      replaced BIGINT NOT NULL,
      replaced_at BIGINT NOT NULL,
      size BIGINT NOT NULL,
      files \(dialect.bytes) NOT NULL,
      type \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      created_by \(dialect.text) NOT NULL,
      created_device \(dialect.text) NOT NULL,
      modified_at BIGINT NOT NULL,
      modified_by \(dialect.text) NOT NULL,
      modified_device \(dialect.text) NOT NULL,
      parent \(dialect.text),
      fields \(dialect.bytes) NOT NULL,
      assets BIGINT NOT NULL,
      record BIGINT NOT NULL,
      revision BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (database, zone, name, replaced));
    CREATE INDEX record_versions_of_zone ON record_versions (
      database, zone, replaced_at, replaced);
    CREATE INDEX record_versions_oldest ON record_versions (replaced_at);
    CREATE TABLE kept_zones (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      deleted_at BIGINT NOT NULL,
      PRIMARY KEY (database, zone));
    CREATE INDEX kept_zones_named ON kept_zones (database, name, zone);
    CREATE INDEX kept_zones_oldest ON kept_zones (deleted_at);
    CREATE TABLE version_extent (since BIGINT NOT NULL);
    """
  }

  /// The columns that layout 12 added to the table `zones`.
  static let zoneColumns = """
    ALTER TABLE zones ADD COLUMN version_count BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN version_bytes BIGINT NOT NULL DEFAULT 0;
    """
}
