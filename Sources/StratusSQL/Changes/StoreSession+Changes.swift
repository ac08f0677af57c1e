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
    // NB: the array does not reserve space for `limit` records, because `limit` may be large. A
    // page seldom has more than 256 records.
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

  public func latestZoneChange(in view: DatabaseView) throws(ServerError) -> Int64 {
    guard let number = try number(of: view) else { return 0 }
    return try connection.first(ChangeStatements.latest, [.integer(number)]) { row in
      note(epoch: row.integer(1), watchVersion: row.integer(2), of: number)
      return row.integer(0)
    } ?? 0
  }

  public func newestExpiredZone(in view: DatabaseView) throws(ServerError) -> Int64 {
    guard let number = try number(of: view) else { return 0 }
    return try connection.first(ChangeStatements.forgotten, [.integer(number)]) {
      $0.integer(0)
    } ?? 0
  }

  public func zoneChanges(
    in view: DatabaseView, after change: Int64, limit: Int
  ) throws(ServerError) -> [ZoneChange] {
    guard limit > 0, let number = try number(of: view) else { return [] }
    let values: [SQLValue] = [.integer(number), .integer(change), .integer(Int64(limit))]
    var changes: [ZoneChange] = []
    let statement = view.isShared ? ChangeStatements.sharedZones : ChangeStatements.zones
    try connection.run(statement, values) { (row) throws(ServerError) in
      let database: DatabaseKey
      switch view {
      case .public: database = .public
      case .private(let user): database = .private(owner: user)
      case .shared: database = try Self.database(scope: row.integer(6), owner: row.text(7))
      }
      changes.append(
        ZoneChange(
          incarnation: row.integer(4), name: row.text(0), database: database,
          change: row.integer(1), isDeleted: row.integer(2) != 0,
          deletionReason: ZoneDeletionReason(number: row.integer(3)),
          participation: row.integer(5)))
      return true
    }
    return changes
  }
}

extension DatabaseView {
  fileprivate var isShared: Bool {
    switch self {
    case .public, .private: false
    case .shared: true
    }
  }
}

private enum ChangeStatements {
  private static let inRange = """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND change > ? AND change <= ?
    """
  static let oldestFirst = SQLStatement(
    bounding: inRange + " ORDER BY change LIMIT ?", by: "fields")
  static let newestFirst = SQLStatement(
    bounding: inRange + " ORDER BY change DESC LIMIT ?", by: "fields")
  static let latest = SQLStatement(
    "SELECT change, epoch, watch_version FROM databases WHERE database = ?")
  static let forgotten = SQLStatement(
    "SELECT newest_forgotten FROM databases WHERE database = ?")
  private static let listings = """
    SELECT zones.name, listings.listed, listings.deleted, listings.deletion_reason,
      \(ZoneStatements.incarnation), listings.participation
    """
  private static let behind = """
    WHERE listings.database = ? AND listings.listed > ? ORDER BY listings.listed LIMIT ?
    """
  static let zones = SQLStatement(
    """
    \(listings) FROM listings JOIN zones ON zones.zone = listings.zone \(behind)
    """)
  static let sharedZones = SQLStatement(
    """
    \(listings), databases.scope, databases.owner
    FROM listings JOIN zones ON zones.zone = listings.zone
      JOIN databases ON databases.database = zones.database \(behind)
    """)
}
