public import StratusDomain
import StratusWire

extension StoreSession {
  public func expireDeletions(before time: Int64, limit: Int) throws(ServerError) -> Bool {
    guard limit > 0 else { return false }
    let counts = [
      try forgetRecords(before: time, limit: limit),
      try forgetPassages(before: time, limit: limit),
      try expireZones(before: time, limit: limit),
    ]
    return counts.contains { $0 >= limit }
  }

  /// Removes old tombstones of records.
  ///
  /// - Returns: the number of removed tombstones.
  private func forgetRecords(before time: Int64, limit: Int) throws(ServerError) -> Int {
    readAhead = nil
    let found = try connection.all(
      ForgettingStatements.records, [.integer(time), .integer(Int64(limit))]
    ) { (record: $0.integer(0), zone: $0.integer(1), change: $0.integer(2)) }
    var newest: [Int64: Int64] = [:]
    for (record, zone, change) in found {
      try connection.queue(ForgettingStatements.removeRecord, [.integer(record)])
      newest[zone] = max(newest[zone] ?? 0, change)
    }
    try raise(ForgettingStatements.raiseZone, to: newest)
    return found.count
  }

  /// Removes old passages of records that left a shared hierarchy. The other passages say which
  /// hierarchy a record is in, so they stay.
  ///
  /// - Returns: the number of removed passages.
  private func forgetPassages(before time: Int64, limit: Int) throws(ServerError) -> Int {
    let found = try connection.all(
      ForgettingStatements.passages, [.integer(time), .integer(Int64(limit))]
    ) { (database: $0.integer(0), zone: $0.integer(1), root: $0.text(2), change: $0.integer(3)) }
    var newest: [Int64: Int64] = [:]
    for (database, zone, root, change) in found {
      try connection.queue(
        ForgettingStatements.removePassage,
        [.integer(database), .integer(zone), .text(root), .integer(change)])
      newest[zone] = max(newest[zone] ?? 0, change)
    }
    try raise(ForgettingStatements.raisePassages, to: newest)
    return found.count
  }

  /// Removes deleted zones from the histories of databases. The row of a zone is removed with its
  /// last listing or with its last record, whichever is later.
  ///
  /// - Returns: the number of removed listings.
  private func expireZones(before time: Int64, limit: Int) throws(ServerError) -> Int {
    let found = try connection.all(
      ForgettingStatements.listings, [.integer(time), .integer(Int64(limit))]
    ) { (zone: $0.integer(0), database: $0.integer(1), change: $0.integer(2)) }
    var newest: [Int64: Int64] = [:]
    for (zone, database, change) in found {
      try connection.queue(
        ForgettingStatements.removeListing, [.integer(database), .integer(zone)])
      try connection.queue(ForgettingStatements.removePurgedZone, [.integer(zone)])
      newest[database] = max(newest[database] ?? 0, change)
    }
    try raise(ForgettingStatements.raiseDatabase, to: newest)
    return found.count
  }

  /// - Parameter newest: the newest removed change of each zone or database, by the zone's or
  ///   database's number.
  private func raise(
    _ statement: SQLStatement, to newest: [Int64: Int64]
  ) throws(ServerError) {
    for (number, change) in newest.sorted(by: { $0.key < $1.key }) {
      try connection.queue(
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
  static let passages = SQLStatement(
    """
    SELECT database, zone, root, change FROM passages
    WHERE kind = 2 AND made_at < ? ORDER BY made_at LIMIT ?
    """)
  static let removePassage = SQLStatement(
    "DELETE FROM passages WHERE database = ? AND zone = ? AND root = ? AND change = ?")
  static let raisePassages = SQLStatement(
    """
    UPDATE zones SET newest_passage_forgotten = ?
    WHERE zone = ? AND newest_passage_forgotten < ?
    """)
  static let listings = SQLStatement(
    """
    SELECT zone, database, listed FROM listings
    WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?
    """)
  static let removeListing = SQLStatement("DELETE FROM listings WHERE database = ? AND zone = ?")
  static let removePurgedZone = SQLStatement(
    "DELETE FROM zones WHERE zone = ? AND deleted = 2 AND \(ListingTables.isUnlisted)")
  static let raiseDatabase = SQLStatement(
    "UPDATE databases SET newest_forgotten = ? WHERE database = ? AND newest_forgotten < ?")
}
