public import StratusDomain

/// The tables of a store.
public enum StoreTables {
  /// Counts the forms these tables have had.
  static let layout: Int64 = 1

  /// Makes the tables where there are none, and refuses those of a later program.
  ///
  /// Runs inside a transaction that the caller opens and commits.
  ///
  /// - Parameter makeEpoch: draws the epoch of a new store.
  /// - Throws: `INTERNAL_ERROR`.
  public static func prepare(
    on connection: any SQLConnection, makeEpoch: () -> Int64
  ) throws(ServerError) {
    try connection.define(
      """
      CREATE TABLE IF NOT EXISTS store (
        layout BIGINT NOT NULL, epoch BIGINT NOT NULL, schema_version BIGINT NOT NULL);
      """)
    guard let found = try connection.first(readLayout, [], { $0.integer(0) }) else {
      try connection.define(text(connection.dialect))
      try connection.execute(writeStore, [.integer(layout), .integer(makeEpoch())])
      return
    }
    if found > layout {
      throw .fault(
        "the store was written by a newer version of Stratus",
        facts: ["layout": String(found), "known": String(layout)])
    }
  }

  private static let readLayout = SQLStatement("SELECT layout FROM store")
  private static let writeStore = SQLStatement(
    "INSERT INTO store (layout, epoch, schema_version) VALUES (?, ?, 0)")

  private static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE databases (
      database \(dialect.countedKey),
      scope BIGINT NOT NULL,
      owner \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      UNIQUE (scope, owner));

    CREATE TABLE zones (
      zone \(dialect.countedKey),
      database BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      listed BIGINT,
      deleted BIGINT NOT NULL,
      client_token \(dialect.text));
    CREATE UNIQUE INDEX zones_live ON zones (database, name) WHERE deleted = 0;
    CREATE INDEX zones_listed ON zones (database, listed) WHERE listed IS NOT NULL;
    CREATE INDEX zones_deleted ON zones (database, name) WHERE deleted <> 0;
    CREATE INDEX zones_unpurged ON zones (zone) WHERE deleted = 1;

    CREATE TABLE records (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
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
      PRIMARY KEY (database, zone, name));
    CREATE UNIQUE INDEX records_changed ON records (database, zone, change);

    CREATE TABLE record_types (
      name \(dialect.text) PRIMARY KEY);
    CREATE TABLE fields (
      record_type \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      type \(dialect.text) NOT NULL,
      PRIMARY KEY (record_type, name));
    """
  }
}
