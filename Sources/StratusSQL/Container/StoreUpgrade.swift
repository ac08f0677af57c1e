import StratusDomain
import StratusWire

/// Upgrades a store of an earlier layout. The upgrade runs in the transaction that prepares the
/// tables when the store is opened.
enum StoreUpgrade {
  /// - Parameters:
  ///   - layout: the present layout of the store.
  ///   - now: the time of the upgrade, in milliseconds since 1970 UTC.
  static func run(
    on connection: any SQLConnection, from layout: Int64, now: Int64
  ) throws(ServerError) {
    // NB: these tables come first, because the steps for earlier layouts read the settings and look
    // for quotas.
    if layout < 9 { try connection.define(SettingTables.text(connection.dialect)) }
    if layout < 10 {
      try connection.define(
        UsageTables.text(connection.dialect) + UsageTables.zoneColumns(connection.dialect))
    }
    if layout < 12 {
      try connection.define(VersionTables.text(connection.dialect) + VersionTables.zoneColumns)
    }
    if layout < 13 { try addNumbersOfUsers(on: connection, from: layout) }
    if layout < 8 { try addSharing(on: connection, from: layout, now: now) }
    // NB: layout 1 had no table of keys, so the table was just created in its current form.
    if (2..<9).contains(layout) { try connection.define(KeyTables.retired) }
    if (2..<11).contains(layout) { try connection.define(KeyTables.root(connection.dialect)) }
    if layout < 10 { try connection.define(UsageTables.countAll(connection.dialect)) }
    try connection.execute(UpgradeStatements.setLayout, [.integer(StoreTables.layout)])
  }

  /// Upgrades to layout 13, in which users see no numbers that count the writes of other users:
  /// records have a revision, zones have an incarnation, and each user's notifications have numbers
  /// of their own.
  ///
  /// NB: a table that the layout does not have is created later, in its current form.
  private static func addNumbersOfUsers(
    on connection: any SQLConnection, from layout: Int64
  ) throws(ServerError) {
    let column = "ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;"
    try connection.define("ALTER TABLE zones ADD COLUMN incarnation BIGINT NOT NULL DEFAULT 0;")
    if layout >= 3 {
      try connection.define(
        "ALTER TABLE records \(column) ALTER TABLE outbox_records \(column)")
      try connection.define(NotificationTables.numberUsers)
    }
    if layout >= 12 { try connection.define("ALTER TABLE record_versions \(column)") }
  }

  /// Upgrades to layout 8.
  private static func addSharing(
    on connection: any SQLConnection, from layout: Int64, now: Int64
  ) throws(ServerError) {
    // NB: change all tables before any rows, because the statements of a session expect the newest
    // tables.
    if layout < 3 {
      try connection.define(SubscriptionTables.text(connection.dialect))
      try connection.define(NotificationTables.text(connection.dialect))
    }
    if layout < 4 { try addForgetting(on: connection, now: now) }
    if layout < 7 { try connection.define(RetirementTables.text(connection.dialect)) }
    if layout < 6 {
      try connection.define(RoleTables.text(connection.dialect))
      try connection.define(LackTables.text(connection.dialect))
      try RoleTables.grantInitially(on: connection)
    }
    switch layout {
    case 1:
      try addDerivedTables(on: connection)
      try numberRecords(on: connection)
      try markFields(on: connection)
      try deriveRows(on: connection)
    case 2:
      try numberRecords(on: connection)
      try numberEntries(on: connection)
    case 3:
      try connection.define(StoreTables.deletedRecords)
      try connection.define("DROP INDEX devices_seen; \(NotificationTables.devicesSeen)")
    case 4, 5, 6, 7: break
    default:
      throw .fault("a store has an unknown layout", facts: ["layout": String(layout)])
    }
    if layout < 5 {
      try addListings(on: connection)
      try connection.define(UseTables.text(connection.dialect))
    } else {
      // NB: the table can be dropped, because no release with layouts 5 to 7 wrote a row to it.
      try connection.define("DROP TABLE passages;")
    }
    // In a store of a layout before 3, the tables of devices and the outbox were just created in
    // their current form.
    if layout >= 3 {
      try connection.define(
        """
        ALTER TABLE devices ADD COLUMN session \(connection.dialect.text);
        ALTER TABLE outbox ADD COLUMN hierarchies \(connection.dialect.text) NOT NULL DEFAULT '';
        """)
    }
    try connection.define(
      """
      ALTER TABLE zones ADD COLUMN has_hierarchies BIGINT NOT NULL DEFAULT 0;
      \(SharingTables.text(connection.dialect))
      """)
  }

  /// Upgrades to layout 5. Histories get a table of listings, databases get an epoch, and record
  /// numbers get a counter.
  private static func addListings(on connection: any SQLConnection) throws(ServerError) {
    try connection.define(
      """
      ALTER TABLE databases ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE databases ADD COLUMN watch_version BIGINT NOT NULL DEFAULT 0;
      UPDATE databases SET epoch = (SELECT epoch FROM store);
      ALTER TABLE zones ADD COLUMN newest_passage_forgotten BIGINT NOT NULL DEFAULT 0;
      \(ListingTables.text(connection.dialect))
      INSERT INTO listings (
          database, zone, listed, seen, participation, deleted, deletion_reason, deleted_at)
        SELECT database, zone, listed, 0, 0, CASE deleted WHEN 0 THEN 0 ELSE 1 END,
          deletion_reason, deleted_at
        FROM zones WHERE listed IS NOT NULL;
      DROP INDEX zones_listed;
      DROP INDEX zones_forgettable;
      ALTER TABLE zones DROP COLUMN listed;
      ALTER TABLE zones DROP COLUMN deletion_reason;
      ALTER TABLE zones DROP COLUMN deleted_at;
      \(StoreTables.recordCount)
      INSERT INTO record_count (next) SELECT COALESCE(MAX(record), 0) + 1 FROM records;
      """)
  }

  /// Choice: the time of the upgrade counts as the deletion time of a deleted zone, because earlier
  /// layouts did not record the deletion time.
  private static func addForgetting(
    on connection: any SQLConnection, now: Int64
  ) throws(ServerError) {
    try connection.define(
      """
      ALTER TABLE databases ADD COLUMN newest_forgotten BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE zones ADD COLUMN newest_forgotten BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE zones ADD COLUMN deleted_at BIGINT;
      CREATE INDEX zones_forgettable ON zones (deleted_at) WHERE deleted_at IS NOT NULL;
      """)
    try connection.execute(UpgradeStatements.dateDeletedZones, [.integer(now)])
  }

  private static func addDerivedTables(
    on connection: any SQLConnection
  ) throws(ServerError) {
    try connection.define(
      """
      ALTER TABLE records ADD COLUMN assets BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE fields ADD COLUMN indexes BIGINT NOT NULL DEFAULT 0;
      """)
    try connection.define(KeyTables.zoneColumns)
    try connection.define(StoreTables.derivedTables(connection.dialect))
    try connection.define(KeyTables.text(connection.dialect))
  }

  /// Assigns numbers to records. Records of one zone get adjacent numbers, because they are read
  /// and indexed together.
  private static func numberRecords(on connection: any SQLConnection) throws(ServerError) {
    let columns = RecordColumns.list.replacing(", revision, record", with: "")
    try connection.define(
      """
      ALTER TABLE records RENAME TO records_before;
      DROP INDEX records_changed;
      \(StoreTables.records(connection.dialect))
      INSERT INTO records (record, database, zone, \(columns))
        SELECT ROW_NUMBER() OVER (ORDER BY database, zone, change), database, zone, \(columns)
        FROM records_before ORDER BY database, zone, change;
      DROP TABLE records_before;
      """)
  }

  /// Converts index entries. In earlier layouts, entries refer to records by name. Now they refer
  /// to records by number.
  private static func numberEntries(on connection: any SQLConnection) throws(ServerError) {
    try connection.define(
      """
      ALTER TABLE entries RENAME TO entries_before;
      \(StoreTables.entries(connection.dialect))
      INSERT INTO entries (database, index_id, value, zone, record)
        SELECT entries_before.database, index_id, value, entries_before.zone, record
        FROM entries_before JOIN records ON records.database = entries_before.database
          AND records.zone = entries_before.zone AND records.name = entries_before.name;
      DROP TABLE entries_before;
      """)
  }

  /// Choice: fields from a layout without index marks get all marks of their type, even in
  /// production. A store does not know its environment, and earlier versions refused no query.
  private static func markFields(on connection: any SQLConnection) throws(ServerError) {
    let session = StoreSession(connection: connection)
    for type in try session.schema().recordTypes.values {
      for (name, field) in type.fields {
        try connection.execute(
          UpgradeStatements.markField,
          [
            .integer(FieldIndexes.all(for: field.type).rawValue), .text(type.name), .text(name),
          ])
      }
    }
  }

  /// Creates links for all records in the order of the records' keys. Only one page of derived rows
  /// is in memory at a time. Layout 1 had no assets, so no uses of assets are recorded.
  private static func deriveRows(on connection: any SQLConnection) throws(ServerError) {
    let session = StoreSession(connection: connection)
    let schema = try session.schema()
    var cursor = IndexBuildCursor(database: .min, zone: .min, recordName: "")
    while true {
      var page: [(cursor: IndexBuildCursor, rows: DerivedRows)] = []
      var reader = RecordReader()
      var sizeBytes = 0
      try connection.run(
        UpgradeStatements.records,
        [
          .integer(cursor.database), .integer(cursor.zone), .text(cursor.recordName),
          .integer(recordsPerPage),
        ]
      ) { (row) throws(ServerError) in
        let record = reader.record(row)
        let at = IndexBuildCursor(
          database: row.integer(RecordColumns.count), zone: row.integer(RecordColumns.count + 1),
          recordName: record.name)
        page.append((at, try DerivedRows(of: record, schema: schema)))
        sizeBytes += record.fields.text.count
        return sizeBytes < SQLLimits.stepSizeBytesMax
      }
      guard let last = page.last else { return }
      for (at, rows) in page { try session.add(rows, of: at.zone, in: at.database) }
      cursor = last.cursor
    }
  }

  private static let recordsPerPage: Int64 = 1_000
}

private enum UpgradeStatements {
  static let setLayout = SQLStatement("UPDATE store SET layout = ?")
  static let dateDeletedZones = SQLStatement(
    "UPDATE zones SET deleted_at = ? WHERE listed IS NOT NULL AND deleted <> 0")
  static let markField = SQLStatement(
    "UPDATE fields SET indexes = ? WHERE record_type = ? AND name = ?")
  static let records = SQLStatement(
    """
    SELECT \(RecordColumns.list), database, zone FROM records
    WHERE (database, zone, name) > (?, ?, ?) AND deleted = 0
    ORDER BY database, zone, name LIMIT ?
    """)
}
