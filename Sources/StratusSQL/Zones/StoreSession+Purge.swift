public import StratusDomain
import StratusWire

extension StoreSession {
  public func recordsToPurge(limit: Int) throws(ServerError) -> PurgeBatch? {
    guard limit > 0 else { return nil }
    let found = try connection.first(PurgeStatements.next, []) { row in
      (zone: row.integer(0), database: row.integer(1))
    }
    guard let found else { return nil }
    var batch = PurgeBatch(
      zone: found.zone, database: found.database, records: [], isLast: false)
    var reader = RecordReader()
    var sizeBytes = 0
    try connection.run(
      PurgeStatements.records,
      [.integer(found.database), .integer(found.zone), .integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      let record = reader.record(row)
      sizeBytes += record.fields.text.count
      batch.records.append(record)
      return sizeBytes < SQLLimits.stepSizeBytesMax
    }
    batch.isLast = batch.records.count < limit && sizeBytes < SQLLimits.stepSizeBytesMax
    return batch
  }

  public func purge(_ batch: PurgeBatch, rows: DerivedRows) throws(ServerError) {
    readAhead = nil
    let key: [SQLValue] = [.integer(batch.database), .integer(batch.zone)]
    // This is the last check before data is removed permanently. It fails if the zone is live, or
    // if the zone's records are kept.
    guard try connection.first(PurgeStatements.isUnpurged, key, { _ in true }) == true else {
      throw .fault("a zone to purge is not deleted")
    }
    try remove(rows, of: batch.zone, in: batch.database)
    for record in batch.records {
      try connection.queue(PurgeStatements.deleteRecord, key + [.text(record.name)])
    }
    guard batch.isLast else { return }
    guard try connection.first(PurgeStatements.anyRecord, key, { _ in true }) == nil else {
      return
    }
    let limit = SQLLimits.rowsPerPurge
    for statement in PurgeStatements.deleteOthers {
      let removed = try connection.execute(statement, key + [.integer(Int64(limit))])
      if removed >= limit { return }
    }
    if try removeVersions(of: batch.zone, in: batch.database, limit: limit) >= limit { return }
    let left = try connection.execute(
      PurgeStatements.deleteJoinedShares, [.integer(batch.zone), .integer(Int64(limit))])
    if left >= limit { return }
    try connection.queue(PurgeStatements.removeUnlisted, key)
    try connection.queue(PurgeStatements.markPurged, key)
  }
}

private enum PurgeStatements {
  static let next = SQLStatement(
    "SELECT zone, database FROM zones WHERE deleted = 1 ORDER BY zone LIMIT 1")
  static let records = SQLStatement(
    bounding: """
      SELECT \(RecordColumns.list) FROM records
      WHERE database = ? AND zone = ? ORDER BY name LIMIT ?
      """, by: "fields")
  static let isUnpurged = SQLStatement(
    "SELECT 1 FROM zones WHERE database = ? AND zone = ? AND deleted = 1")
  static let deleteRecord = SQLStatement(
    "DELETE FROM records WHERE database = ? AND zone = ? AND name = ?")
  static let anyRecord = SQLStatement(
    "SELECT 1 FROM records WHERE database = ? AND zone = ? LIMIT 1")
  private static let deleteCascades = SQLStatement(
    """
    DELETE FROM cascades WHERE cascade_id IN (
      SELECT cascade_id FROM cascades WHERE database = ? AND zone = ? LIMIT ?)
    """)
  private static let deletePassages = SQLStatement(
    """
    DELETE FROM passages WHERE (database, zone, root, name) IN (
      SELECT database, zone, root, name FROM passages WHERE database = ? AND zone = ? LIMIT ?)
    """)
  private static let deleteRoots = SQLStatement(
    """
    DELETE FROM shared_roots WHERE (database, zone, name) IN (
      SELECT database, zone, name FROM shared_roots WHERE database = ? AND zone = ? LIMIT ?)
    """)
  private static let deleteUnfinished = SQLStatement(
    """
    DELETE FROM unfinished_hierarchies WHERE (database, zone, name) IN (
      SELECT database, zone, name FROM unfinished_hierarchies
      WHERE database = ? AND zone = ? LIMIT ?)
    """)
  /// Deletes the IDs of share URLs.
  private static let deleteLinks = SQLStatement(
    """
    DELETE FROM share_links WHERE (database, zone, root) IN (
      SELECT database, zone, root FROM share_links WHERE database = ? AND zone = ? LIMIT ?)
    """)
  static let deleteOthers = [
    deleteCascades, deletePassages, deleteRoots, deleteUnfinished, deleteLinks,
  ]
  /// NB: these rows belong to the shared databases of participants.
  static let deleteJoinedShares = SQLStatement(
    """
    DELETE FROM joined_shares WHERE (database, zone, root) IN (
      SELECT database, zone, root FROM joined_shares WHERE zone = ? LIMIT ?)
    """)
  /// Removes a zone's row unless a history still lists the zone.
  static let removeUnlisted = SQLStatement(
    "DELETE FROM zones WHERE database = ? AND zone = ? AND \(ListingTables.isUnlisted)")
  static let markPurged = SQLStatement(
    "UPDATE zones SET deleted = 2 WHERE database = ? AND zone = ?")
}
