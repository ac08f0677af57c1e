/// The tables of encryption keys: public keys of users, and encrypted keys of zones, which the
/// server cannot decrypt.
enum KeyTables {
  /// The table `user_keys` belongs to the store, because a user has the same key in every database.
  /// The keys of a zone are deleted with the zone.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE user_keys (
      owner \(dialect.text) PRIMARY KEY,
      public_key \(dialect.bytes) NOT NULL);
    CREATE TABLE zone_keys (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      key_id \(dialect.bytes) NOT NULL,
      recipient \(dialect.bytes) NOT NULL,
      wrapped \(dialect.bytes) NOT NULL,
      retired BIGINT NOT NULL DEFAULT 0,
      root \(dialect.text) NOT NULL DEFAULT '',
      PRIMARY KEY (database, zone, key_id, recipient))\(dialect.keyedTable);
    """
  }

  /// The column that layout 9 added to the keys of zones.
  static let retired = "ALTER TABLE zone_keys ADD COLUMN retired BIGINT NOT NULL DEFAULT 0;"

  /// The column that layout 11 added to the keys of zones: the root of the shared hierarchy to
  /// which the key belongs. It is empty for a key of the zone.
  static func root(_ dialect: SQLDialect) -> String {
    "ALTER TABLE zone_keys ADD COLUMN root \(dialect.text) NOT NULL DEFAULT '';"
  }

  /// The columns that layout 2 added to zones.
  static let zoneColumns = """
    ALTER TABLE zones ADD COLUMN encryption_scope BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN deletion_reason BIGINT NOT NULL DEFAULT 0;
    """
}
