/// The tables of keys, none of which opens anything here.
enum KeyTables {
  /// A user's key is the user's, whatever the database: `user_keys` belongs to the store. A zone's
  /// goes with the zone.
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
      PRIMARY KEY (database, zone, key_id, recipient))\(dialect.keyedTable);
    """
  }

  /// What zones got with layout 2.
  static let zoneColumns = """
    ALTER TABLE zones ADD COLUMN encryption_scope BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN deletion_reason BIGINT NOT NULL DEFAULT 0;
    """
}
