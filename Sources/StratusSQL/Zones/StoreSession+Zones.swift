public import StratusDomain
public import StratusWire

extension StoreSession {
  public func zone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> StoredZone? {
    try find(ZoneStatements.find, named: name, in: database)
  }

  public func zone(id: Int64, in database: DatabaseKey) throws(ServerError) -> StoredZone? {
    guard let number = try number(of: database) else { return nil }
    return try connection.first(ZoneStatements.findID, [.integer(number), .integer(id)]) { row in
      StoredZone(
        id: id, database: database, name: row.text(2), change: row.integer(0),
        clientChangeToken: row.optionalText(1),
        encryptionScope: EncryptionScope(number: row.integer(3)),
        newestForgotten: row.integer(4))
    }
  }

  public func lockZone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> StoredZone? {
    try find(ZoneStatements.lock, named: name, in: database)
  }

  public func zones(
    in database: DatabaseKey, after name: String?, limit: Int
  ) throws(ServerError) -> [StoredZone] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let values: [SQLValue] = [.integer(number), .text(name ?? ""), .integer(Int64(limit))]
    return try connection.all(ZoneStatements.list, values) { row in
      StoredZone(
        id: row.integer(0), database: database, name: row.text(3), change: row.integer(1),
        clientChangeToken: row.optionalText(2),
        encryptionScope: EncryptionScope(number: row.integer(4)),
        newestForgotten: row.integer(5))
    }
  }

  public func zoneCount(in database: DatabaseKey) throws(ServerError) -> Int {
    guard let number = try number(of: database) else { return 0 }
    let count = try connection.first(ZoneStatements.count, [.integer(number)]) { $0.integer(0) }
    return Int(count ?? 0)
  }

  public func createZone(
    named name: String, in database: DatabaseKey, encryptionScope: EncryptionScope
  ) throws(ServerError) -> StoredZone {
    let number = try makeNumber(of: database)
    var zone = StoredZone(
      id: 0, database: database, name: name, change: 0, clientChangeToken: nil,
      encryptionScope: encryptionScope)
    var listed = SQLValue.null
    if !zone.isDefault {
      try unlistDeleted(named: name, in: number)
      listed = .integer(try nextZoneChange(in: number))
    }
    let id = try connection.first(
      ZoneStatements.insert,
      [.integer(number), .text(name), listed, .integer(encryptionScope.number)]
    ) { $0.integer(0) }
    guard let id else { throw .fault("a zone was made without an id") }
    zone.id = id
    return zone
  }

  public func deleteZone(
    _ zone: StoredZone, reason: ZoneDeletionReason, at time: Int64
  ) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    let listed = zone.isDefault ? SQLValue.null : .integer(try nextZoneChange(in: number))
    let changed = try connection.execute(
      ZoneStatements.delete,
      [
        listed, .integer(reason.number), zone.isDefault ? .null : .integer(time),
        .integer(zone.id),
      ])
    if changed != 1 { throw .fault("a zone to delete is not there") }
    try removeZoneKeys(of: zone)
    try removeSubscriptions(toZone: zone.id, in: number)
  }

  /// The number of the database of a zone that was read in this transaction.
  func requiredNumber(of zone: StoredZone) throws(ServerError) -> Int64 {
    guard let number = try number(of: zone.database) else {
      throw .fault("a zone's database has no row")
    }
    return number
  }

  private func find(
    _ statement: SQLStatement, named name: String, in database: DatabaseKey
  ) throws(ServerError) -> StoredZone? {
    guard let number = try number(of: database) else { return nil }
    return try connection.first(statement, [.integer(number), .text(name)]) { row in
      StoredZone(
        id: row.integer(0), database: database, name: name, change: row.integer(1),
        clientChangeToken: row.optionalText(2),
        encryptionScope: EncryptionScope(number: row.integer(3)),
        newestForgotten: row.integer(4))
    }
  }

  /// Takes a deleted zone of the same name out of the history, so that the name stands there once.
  private func unlistDeleted(named name: String, in number: Int64) throws(ServerError) {
    let values: [SQLValue] = [.integer(number), .text(name)]
    try connection.execute(ZoneStatements.removePurged, values)
    try connection.execute(ZoneStatements.unlistUnpurged, values)
  }
}

enum ZoneStatements {
  private static let named = """
    SELECT zone, change, client_token, encryption_scope, newest_forgotten FROM zones
    WHERE database = ? AND name = ? AND deleted = 0
    """
  static let find = SQLStatement(named)
  static let lock = SQLStatement { named + $0.forUpdate }
  static let findID = SQLStatement(
    """
    SELECT change, client_token, name, encryption_scope, newest_forgotten FROM zones
    WHERE database = ? AND zone = ? AND deleted = 0
    """)
  static let list = SQLStatement(
    """
    SELECT zone, change, client_token, name, encryption_scope, newest_forgotten FROM zones
    WHERE database = ? AND name > ? AND deleted = 0 ORDER BY name LIMIT ?
    """)
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM zones WHERE database = ? AND deleted = 0")
  static let insert = SQLStatement(
    """
    INSERT INTO zones (database, name, change, listed, deleted, encryption_scope)
    VALUES (?, ?, 0, ?, 0, ?) RETURNING zone
    """)
  /// A zone that never held a record has no rows to purge.
  static let delete = SQLStatement(
    """
    UPDATE zones
    SET deleted = CASE change WHEN 0 THEN 2 ELSE 1 END, listed = ?, client_token = NULL,
      deletion_reason = ?, deleted_at = ?
    WHERE zone = ? AND deleted = 0
    """)
  /// NB: `deleted <> 0` says nothing new; it is what makes SQLite use the index `zones_deleted`.
  static let removePurged = SQLStatement(
    "DELETE FROM zones WHERE database = ? AND name = ? AND deleted <> 0 AND deleted = 2")
  /// NB: as above.
  static let unlistUnpurged = SQLStatement(
    """
    UPDATE zones SET listed = NULL, deleted_at = NULL
    WHERE database = ? AND name = ? AND deleted <> 0 AND deleted = 1
    """)
}
