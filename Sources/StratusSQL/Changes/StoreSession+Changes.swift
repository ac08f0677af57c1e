public import StratusDomain
import StratusWire

extension StoreSession {
  public func recordChanges(
    in zone: StoredZone, range: ChangeRange, newestFirst: Bool, limit: Int, sizeBytesMax: Int
  ) throws(ServerError) -> [StoredRecord] {
    guard limit > 0, range.after < range.through, let number = try number(of: zone.database)
    else { return [] }
    let values: [SQLValue] = [
      .integer(number), .integer(zone.id), .integer(range.after), .integer(range.through),
      .integer(Int64(limit)),
    ]
    var reader = RecordReader()
    var result: [StoredRecord] = []
    // NB: not `limit`, which a caller may set high; a page is seldom longer than this.
    result.reserveCapacity(min(limit, 256))
    var sizeBytes = 0
    let statement = newestFirst ? ChangeStatements.newestFirst : ChangeStatements.oldestFirst
    try connection.run(statement, values) { (row) throws(ServerError) in
      let record = reader.record(row)
      sizeBytes += record.fields.text.count
      result.append(record)
      return sizeBytes < sizeBytesMax
    }
    return result
  }

  public func latestZoneChange(in database: DatabaseKey) throws(ServerError) -> Int64 {
    guard let number = try number(of: database) else { return 0 }
    return try connection.first(ChangeStatements.latest, [.integer(number)]) {
      $0.integer(0)
    } ?? 0
  }

  public func newestForgottenZone(in database: DatabaseKey) throws(ServerError) -> Int64 {
    guard let number = try number(of: database) else { return 0 }
    return try connection.first(ChangeStatements.forgotten, [.integer(number)]) {
      $0.integer(0)
    } ?? 0
  }

  public func zoneChanges(
    in database: DatabaseKey, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let values: [SQLValue] = [.integer(number), .integer(change), .integer(Int64(limit))]
    return try connection.all(ChangeStatements.zones, values) { row in
      ZoneChange(
        incarnation: row.integer(4), name: row.text(0), change: row.integer(1),
        isDeleted: row.integer(2) != 0,
        deletionReason: ZoneDeletionReason(number: row.integer(3)))
    }
  }
}

private enum ChangeStatements {
  private static let inRange = """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND change > ? AND change <= ?
    """
  static let oldestFirst = SQLStatement(inRange + " ORDER BY change LIMIT ?")
  static let newestFirst = SQLStatement(inRange + " ORDER BY change DESC LIMIT ?")
  static let latest = SQLStatement("SELECT change FROM databases WHERE database = ?")
  static let forgotten = SQLStatement(
    "SELECT newest_forgotten FROM databases WHERE database = ?")
  static let zones = SQLStatement(
    """
    SELECT name, listed, deleted, deletion_reason, zone FROM zones
    WHERE database = ? AND listed > ? ORDER BY listed LIMIT ?
    """)
}
