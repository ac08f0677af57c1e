public import StratusDomain

/// The tables of a store.
///
/// A row that belongs to a database contains the database's number. In `zones`, `records`,
/// `cascades`, `subscriptions` and `outbox`, the row number is unique in the whole store, so it
/// identifies the row. Tables without a database's number belong to the whole store, and their
/// comments say why.
public enum StoreTables {
  /// The version of the table layout.
  public static let layout: Int64 = 13
  /// The number of record numbers that a session takes at once.
  public static let recordNumbersPerBlock = RecordNumbers.blockSize

  /// Creates the tables if there are none, and upgrades tables of an earlier layout. Refuses tables
  /// of a later layout.
  ///
  /// The calling code opens and commits the transaction.
  ///
  /// - Parameters:
  ///   - makeEpoch: creates the epoch of a new store.
  ///   - now: returns the time at which a new store begins or an old one is upgraded, in
  ///     milliseconds since 1970 UTC.
  /// - Throws: `INTERNAL_ERROR`.
  public static func prepare(
    on connection: any SQLConnection, makeEpoch: () -> Int64, now: () -> Int64 = { 0 }
  ) throws(ServerError) {
    // The table `store` has one row, which describes the store itself.
    try connection.define(
      """
      CREATE TABLE IF NOT EXISTS store (
        layout BIGINT NOT NULL, epoch BIGINT NOT NULL, schema_version BIGINT NOT NULL);
      """)
    guard let found = try connection.first(readLayout, [], { $0.integer(0) }) else {
      try connection.define(recordTables(connection.dialect))
      try connection.define(schemaTables(connection.dialect))
      try connection.define(derivedTables(connection.dialect))
      try connection.define(KeyTables.text(connection.dialect))
      try connection.define(SubscriptionTables.text(connection.dialect))
      try connection.define(NotificationTables.text(connection.dialect))
      try connection.define(ListingTables.text(connection.dialect))
      try connection.define(UseTables.text(connection.dialect))
      try connection.define(RoleTables.text(connection.dialect))
      try connection.define(RetirementTables.text(connection.dialect))
      try connection.define(LackTables.text(connection.dialect))
      try connection.define(SharingTables.text(connection.dialect))
      try connection.define(SettingTables.text(connection.dialect))
      try connection.define(UsageTables.text(connection.dialect))
      try connection.define(VersionTables.text(connection.dialect))
      try connection.execute(writeStore, [.integer(layout), .integer(makeEpoch())])
      try NotificationTables.countOn(from: now(), on: connection)
      return
    }
    if found > layout {
      throw .fault(
        "the store was written by a newer version of Stratus",
        facts: ["layout": String(found), "known": String(layout)])
    }
    if found < layout { try StoreUpgrade.run(on: connection, from: found, now: now()) }
  }

  /// Begins a new timeline in a store that was copied from a backup or a template.
  ///
  /// - Parameter now: the start of the timeline, in milliseconds since 1970 UTC. It must not
  ///   precede any event of the earlier timeline.
  /// - Throws: `INTERNAL_ERROR`.
  public static func beginTimeline(
    epoch: Int64, now: Int64, on connection: any SQLConnection
  ) throws(ServerError) {
    try connection.execute(writeEpoch, [.integer(epoch)])
    try connection.execute(writeEpochs, [.integer(epoch)])
    try NotificationTables.countOn(from: now, on: connection)
    try countZonesOn(from: now, on: connection)
  }

  /// Makes new zone numbers larger than all zone numbers that were assigned before the given time.
  /// Devices identify zones by their numbers, including zones that are missing in a backup.
  private static func countZonesOn(
    from time: Int64, on connection: any SQLConnection
  ) throws(ServerError) {
    let last = max(0, min(time, Int64.max >> 11)) * zonesPerMillisecond
    if last == 0 { return }
    try connection.execute(giveZone, [.integer(last)])
    try connection.execute(takeZone, [.integer(last)])
  }

  /// The number of zone numbers that are reserved for each millisecond. No server creates so many
  /// zones in a millisecond.
  private static let zonesPerMillisecond: Int64 = 1_024

  /// NB: SQLite never assigns a key below an earlier one. The next zone therefore gets a larger
  /// number than this row, even after the row is removed.
  private static let giveZone = SQLStatement { dialect in
    dialect.countKeyOn?("zones", "zone")
      ?? "INSERT INTO zones (zone, database, name, change, deleted) VALUES (?, 0, '', 0, 2)"
  }
  private static let takeZone = SQLStatement("DELETE FROM zones WHERE zone = ?")

  /// Returns the layout of a store, or nil if the table `store` has no row.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store cannot be read or has no tables.
  public static func foundLayout(on connection: any SQLConnection) throws(ServerError) -> Int64? {
    try connection.first(readLayout, []) { $0.integer(0) }
  }

  /// Returns the counts of the production radar: the requests that production refused because it
  /// lacks a record type, field or index.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the layout is earlier than 6.
  public static func lackCounts(
    on connection: any SQLConnection
  ) throws(ServerError) -> [LackCount] {
    try StoreSession.lackCounts(on: connection)
  }

  private static let writeEpoch = SQLStatement("UPDATE store SET epoch = ?")
  private static let writeEpochs = SQLStatement("UPDATE databases SET epoch = ?")
  private static let readLayout = SQLStatement("SELECT layout FROM store")
  private static let writeStore = SQLStatement(
    "INSERT INTO store (layout, epoch, schema_version) VALUES (?, ?, 0)")

  private static func recordTables(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE databases (
      database \(dialect.countedKey),
      scope BIGINT NOT NULL,
      owner \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      newest_forgotten BIGINT NOT NULL DEFAULT 0,
      epoch BIGINT NOT NULL,
      watch_version BIGINT NOT NULL DEFAULT 0,
      UNIQUE (scope, owner));

    CREATE TABLE zones (
      zone \(dialect.countedKey),
      database BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      client_token \(dialect.text),
      encryption_scope BIGINT NOT NULL DEFAULT 0,
      newest_forgotten BIGINT NOT NULL DEFAULT 0,
      newest_passage_forgotten BIGINT NOT NULL DEFAULT 0,
      has_hierarchies BIGINT NOT NULL DEFAULT 0,
      used_bytes BIGINT NOT NULL DEFAULT 0,
      recent_usage \(dialect.text) NOT NULL DEFAULT '',
      version_count BIGINT NOT NULL DEFAULT 0,
      version_bytes BIGINT NOT NULL DEFAULT 0,
      incarnation BIGINT NOT NULL DEFAULT 0);
    CREATE UNIQUE INDEX zones_live ON zones (database, name) WHERE deleted = 0;
    CREATE INDEX zones_deleted ON zones (database, name) WHERE deleted <> 0;
    CREATE INDEX zones_unpurged ON zones (zone) WHERE deleted = 1;

    \(records(dialect))
    \(recordCount)
    INSERT INTO record_count (next) VALUES (1);
    """
  }

  /// The counter of record numbers for all databases of the store. With SQLite, sessions take
  /// numbers from the counter in blocks. PostgreSQL uses a sequence instead.
  static let recordCount = "CREATE TABLE record_count (next BIGINT NOT NULL);"

  /// The index of the deleted records, by the time of the deletion.
  static let deletedRecords = """
    CREATE INDEX records_deleted ON records (modified_at) WHERE deleted = 1;
    """

  /// The table of records and its indexes.
  static func records(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE records (
      record \(dialect.givenKey),
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
      assets BIGINT NOT NULL,
      revision BIGINT NOT NULL DEFAULT 0,
      UNIQUE (database, zone, name));
    CREATE UNIQUE INDEX records_changed ON records (database, zone, change);
    \(deletedRecords)
    """
  }

  /// The schema belongs to the store, because all databases of a container share one schema. The
  /// indexes and the settings also belong to the store.
  private static func schemaTables(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE record_types (
      name \(dialect.text) PRIMARY KEY);
    CREATE TABLE fields (
      record_type \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      type \(dialect.text) NOT NULL,
      indexes BIGINT NOT NULL,
      PRIMARY KEY (record_type, name));
    """
  }

  /// The table of index entries. Its primary key contains all columns.
  static func entries(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE entries (
      database BIGINT NOT NULL,
      index_id BIGINT NOT NULL,
      value \(dialect.bytes) NOT NULL,
      zone BIGINT NOT NULL,
      record BIGINT NOT NULL,
      PRIMARY KEY (database, index_id, value, zone, record))\(dialect.keyedTable);
    """
  }

  /// The tables that layout 2 added: index marks of system fields, settings, indexes and their
  /// entries, links, cascades, and assets.
  static func derivedTables(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE system_fields (
      record_type \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      indexes BIGINT NOT NULL,
      PRIMARY KEY (record_type, name));
    CREATE TABLE settings (
      name \(dialect.text) PRIMARY KEY,
      value BIGINT NOT NULL);
    CREATE TABLE indexes (
      index_id \(dialect.countedKey),
      record_type \(dialect.text) NOT NULL,
      columns \(dialect.text) NOT NULL,
      ready BIGINT NOT NULL,
      at_database BIGINT,
      at_zone BIGINT,
      at_name \(dialect.text));

    \(entries(dialect))
    CREATE TABLE links (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      kind BIGINT NOT NULL,
      target \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      PRIMARY KEY (database, zone, kind, target, name))\(dialect.keyedTable);
    CREATE TABLE cascades (
      cascade_id \(dialect.countedKey),
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      target \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      place \(dialect.text),
      deleted_by \(dialect.text) NOT NULL,
      deleted_device \(dialect.text) NOT NULL,
      UNIQUE (database, zone, target));

    \(assetTables(dialect))
    """
  }

  /// Files belong to the store, because records of all databases may share the same bytes. Each
  /// file is stored once. A row of `asset_holds` says that a record uses a file, and contains the
  /// file's checksum.
  private static func assetTables(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE assets (
      checksum \(dialect.bytes) NOT NULL PRIMARY KEY,
      file \(dialect.text) NOT NULL UNIQUE,
      size BIGINT NOT NULL,
      touched BIGINT NOT NULL,
      held BIGINT NOT NULL)\(dialect.keyedTable);
    CREATE INDEX assets_unheld ON assets (touched) WHERE held = 0;
    CREATE TABLE asset_holds (
      checksum \(dialect.bytes) NOT NULL,
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      PRIMARY KEY (checksum, database, zone, name))\(dialect.keyedTable);
    """
  }
}
