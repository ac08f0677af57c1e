public import StratusDomain
import StratusWire

extension StoreSession {
  public func forgetDeletions(before time: Int64, limit: Int) throws(ServerError) -> Bool {
    guard limit > 0 else { return false }
    let records = try forgetRecords(before: time, limit: limit)
    let zones = try forgetZones(before: time, limit: limit)
    return records >= limit || zones >= limit
  }

  /// - Returns: how many.
  private func forgetRecords(before time: Int64, limit: Int) throws(ServerError) -> Int {
    let found = try connection.all(
      ForgettingStatements.records, [.integer(time), .integer(Int64(limit))]
    ) { (record: $0.integer(0), zone: $0.integer(1), change: $0.integer(2)) }
    var newest: [Int64: Int64] = [:]
    for (record, zone, change) in found {
      try connection.execute(ForgettingStatements.removeRecord, [.integer(record)])
      newest[zone] = max(newest[zone] ?? 0, change)
    }
    try raise(ForgettingStatements.raiseZone, to: newest)
    return found.count
  }

  /// - Returns: how many.
  private func forgetZones(before time: Int64, limit: Int) throws(ServerError) -> Int {
    let found = try connection.all(
      ForgettingStatements.zones, [.integer(time), .integer(Int64(limit))]
    ) { (zone: $0.integer(0), database: $0.integer(1), change: $0.integer(2)) }
    var newest: [Int64: Int64] = [:]
    for (zone, database, change) in found {
      let removed = try connection.execute(
        ForgettingStatements.removePurgedZone, [.integer(zone)])
      // The row of a zone that still has records goes with the last of them.
      if removed == 0 {
        try connection.execute(ForgettingStatements.unlistZone, [.integer(zone)])
      }
      newest[database] = max(newest[database] ?? 0, change)
    }
    try raise(ForgettingStatements.raiseDatabase, to: newest)
    return found.count
  }

  /// - Parameter newest: the newest change forgotten, by the number of a zone or database.
  private func raise(
    _ statement: SQLStatement, to newest: [Int64: Int64]
  ) throws(ServerError) {
    for (number, change) in newest.sorted(by: { $0.key < $1.key }) {
      try connection.execute(
        statement, [.integer(change), .integer(number), .integer(change)])
    }
  }
}

private enum ForgettingStatements {
  static let records = SQLStatement(
    """
    SELECT record, zone, change FROM records
    WHERE deleted = 1 AND modified_at < ? ORDER BY modified_at LIMIT ?
    """)
  static let removeRecord = SQLStatement("DELETE FROM records WHERE record = ? AND deleted = 1")
  static let raiseZone = SQLStatement(
    "UPDATE zones SET newest_forgotten = ? WHERE zone = ? AND newest_forgotten < ?")
  static let zones = SQLStatement(
    """
    SELECT zone, database, listed FROM zones
    WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?
    """)
  static let removePurgedZone = SQLStatement(
    "DELETE FROM zones WHERE zone = ? AND deleted = 2")
  static let unlistZone = SQLStatement(
    "UPDATE zones SET listed = NULL, deleted_at = NULL WHERE zone = ?")
  static let raiseDatabase = SQLStatement(
    "UPDATE databases SET newest_forgotten = ? WHERE database = ? AND newest_forgotten < ?")
}
