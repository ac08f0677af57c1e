public import StratusDomain

/// The results of a check of a store's tables. Each number counts rows, except ``newestRecordAt``.
public struct StoreCheck: Sendable, Hashable {
  /// Zones whose counted bytes differ from the bytes of their records and files.
  public var wrongUsages: Int64 = 0
  /// Rows of `asset_holds` whose file is not in the table `assets`. A row of `asset_holds` says
  /// that a record uses a file, and `assets` must list every file.
  public var unknownFiles: Int64 = 0
  /// Files that records use, but that the table `assets` lists as unused.
  public var filesHeldUnnoticed: Int64 = 0
  /// Index entries that belong to no record, and would make queries slow or wrong.
  public var strayEntries: Int64 = 0
  /// Records with a change number above the newest change of their zone.
  public var changesAhead: Int64 = 0
  /// The time of the latest save or deletion of a record, in milliseconds since 1970 UTC, or 0 if
  /// there is none.
  public var newestRecordAt: Int64 = 0

  /// Deleted zones whose records must still be removed.
  public var unpurgedZones: Int64 = 0
  /// Deletions that have not reached all dependent records yet.
  public var cascades: Int64 = 0
  /// Changes that were not compared with subscriptions yet.
  public var outboxEntries: Int64 = 0
  /// Indexes that are not completely built yet.
  public var unbuiltIndexes: Int64 = 0

  public init() {}
}

extension StoreTables {
  /// Counts the rows that contradict each other, and the work that is not finished. The whole store
  /// is read.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the store has an earlier layout.
  public static func check(on connection: any SQLConnection) throws(ServerError) -> StoreCheck {
    var check = StoreCheck()
    check.wrongUsages = try count(CheckStatements.wrongUsages, on: connection)
    check.unknownFiles = try count(CheckStatements.unknownFiles, on: connection)
    check.filesHeldUnnoticed = try count(CheckStatements.filesHeldUnnoticed, on: connection)
    check.strayEntries = try count(CheckStatements.strayEntries, on: connection)
    check.changesAhead = try count(CheckStatements.changesAhead, on: connection)
    check.newestRecordAt = try count(CheckStatements.newestRecord, on: connection)
    check.unpurgedZones = try count(CheckStatements.unpurgedZones, on: connection)
    check.cascades = try count(CheckStatements.cascades, on: connection)
    check.outboxEntries = try count(CheckStatements.outbox, on: connection)
    check.unbuiltIndexes = try count(CheckStatements.unbuiltIndexes, on: connection)
    return check
  }

  private static func count(
    _ statement: SQLStatement, on connection: any SQLConnection
  ) throws(ServerError) -> Int64 {
    try connection.first(statement, []) { $0.integer(0) } ?? 0
  }
}

private enum CheckStatements {
  static let wrongUsages = SQLStatement { dialect in
    """
    SELECT COUNT(*) FROM zones WHERE deleted = 0 AND used_bytes <>
      COALESCE((
        SELECT SUM(LENGTH(CAST(name AS \(dialect.bytes))) + LENGTH(fields)) FROM records
        WHERE records.database = zones.database AND records.zone = zones.zone
          AND records.deleted = 0), 0)
      + COALESCE((
        SELECT SUM(assets.size) FROM asset_holds
        JOIN assets ON assets.checksum = asset_holds.checksum
        JOIN records ON records.database = asset_holds.database
          AND records.zone = asset_holds.zone AND records.name = asset_holds.name
        WHERE asset_holds.database = zones.database AND asset_holds.zone = zones.zone
          AND records.deleted = 0), 0)
    """
  }
  static let unknownFiles = SQLStatement(
    """
    SELECT COUNT(*) FROM asset_holds WHERE NOT EXISTS (
      SELECT 1 FROM assets WHERE assets.checksum = asset_holds.checksum)
    """)
  static let filesHeldUnnoticed = SQLStatement(
    """
    SELECT COUNT(*) FROM assets WHERE held = 0 AND EXISTS (
      SELECT 1 FROM asset_holds WHERE asset_holds.checksum = assets.checksum)
    """)
  /// NB: entries of deleted zones do not count. They disappear with the zone's records, step by
  /// step.
  static let strayEntries = SQLStatement(
    """
    SELECT COUNT(*) FROM entries JOIN zones ON zones.zone = entries.zone AND zones.deleted = 0
    WHERE NOT EXISTS (
      SELECT 1 FROM records WHERE records.record = entries.record
        AND records.zone = entries.zone AND records.deleted = 0)
    """)
  static let changesAhead = SQLStatement(
    """
    SELECT COUNT(*) FROM records JOIN zones ON zones.zone = records.zone
    WHERE zones.deleted = 0 AND records.change > zones.change
    """)
  static let newestRecord = SQLStatement("SELECT COALESCE(MAX(modified_at), 0) FROM records")
  static let unpurgedZones = SQLStatement("SELECT COUNT(*) FROM zones WHERE deleted = 1")
  static let cascades = SQLStatement("SELECT COUNT(*) FROM cascades")
  static let outbox = SQLStatement("SELECT COUNT(*) FROM outbox")
  static let unbuiltIndexes = SQLStatement("SELECT COUNT(*) FROM indexes WHERE ready = 0")
}
