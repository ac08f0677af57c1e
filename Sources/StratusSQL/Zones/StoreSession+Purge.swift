public import StratusDomain

extension StoreSession {
  public func purgeDeletedZones(limit: Int) throws(ServerError) -> Int {
    var removed = 0
    while removed < limit {
      // Every unpurged zone holds a row at least, so the limit bounds the rounds, too.
      guard let zone = try connection.first(PurgeStatements.next, [], readZone) else { break }
      let room = limit - removed
      let count = try connection.execute(
        PurgeStatements.deleteRecords,
        [
          .integer(zone.database), .integer(zone.id), .integer(zone.database),
          .integer(zone.id), .integer(Int64(room)),
        ])
      removed += count
      if count == room { break }
      try connection.execute(PurgeStatements.removeUnlisted, [.integer(zone.id)])
      try connection.execute(PurgeStatements.markPurged, [.integer(zone.id)])
    }
    return removed
  }

  private func readZone(_ row: any SQLRow) -> (id: Int64, database: Int64) {
    (row.integer(0), row.integer(1))
  }
}

private enum PurgeStatements {
  static let next = SQLStatement(
    "SELECT zone, database FROM zones WHERE deleted = 1 ORDER BY zone LIMIT 1")
  static let deleteRecords = SQLStatement(
    """
    DELETE FROM records WHERE database = ? AND zone = ? AND name IN (
      SELECT name FROM records WHERE database = ? AND zone = ? ORDER BY name LIMIT ?)
    """)
  /// The row of a zone that the history still names stays.
  static let removeUnlisted = SQLStatement(
    "DELETE FROM zones WHERE zone = ? AND listed IS NULL")
  static let markPurged = SQLStatement("UPDATE zones SET deleted = 2 WHERE zone = ?")
}
