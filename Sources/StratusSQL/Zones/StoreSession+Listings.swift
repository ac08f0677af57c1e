public import StratusDomain
import StratusWire

/// A zone's position in the history of its owner's database. It is written in the transactions that
/// change the zone.
extension StoreSession {
  /// Lists a new zone.
  func list(_ zone: Int64, in number: Int64) throws(ServerError) {
    try countUp(number)
    try connection.queue(
      ListingStatements.insert, [.integer(zone), .integer(0), .integer(0), .integer(number)],
      expecting: .one(otherwise: "a zone was not listed"))
  }

  /// Lists a zone again after its records changed.
  func relist(_ zone: Int64, in number: Int64) throws(ServerError) {
    try countUp(number)
    try connection.queue(
      ListingStatements.move, [.integer(number), .integer(number), .integer(zone)],
      expecting: .one(otherwise: "a zone that changed is not listed"))
  }

  /// Lists a zone as deleted.
  func listDeleted(
    _ zone: Int64, in number: Int64, reason: ZoneDeletionReason, at time: Int64
  ) throws(ServerError) {
    try countUp(number)
    try connection.queue(
      ListingStatements.delete,
      [
        .integer(number), .integer(reason.number), .integer(time), .integer(number),
        .integer(zone),
      ],
      expecting: .one(otherwise: "a zone that was deleted is not listed"))
  }

  /// Removes deleted zones with the given name from the history, so that the name appears there
  /// once. Zones without any rows are removed completely.
  func unlistDeleted(named name: String, in number: Int64) throws(ServerError) {
    let values: [SQLValue] = [.integer(number), .text(name)]
    try connection.queue(ListingStatements.removeDeleted, [.integer(number)] + values)
    try connection.queue(ListingStatements.removePurgedZones, values)
  }

  /// Increments a database's listing counter.
  private func countUp(_ number: Int64) throws(ServerError) {
    try connection.queue(
      ListingStatements.countUp, [.integer(number)],
      expecting: .one(otherwise: "a database has no row"))
  }
}

/// A zone's position in the history of a participant's shared database.
extension StoreSession {
  public func participation(
    of user: String, in zone: StoredZone
  ) throws(ServerError) -> Int64? {
    guard let number = try number(of: .shared(user: user)) else { return nil }
    return try connection.first(
      ListingStatements.participation, [.integer(number), .integer(zone.id)]
    ) { $0.integer(0) }
  }

  public func sharedZones(
    of user: String, after zone: Int64, limit: Int
  ) throws(ServerError) -> [StoredZone] {
    guard limit > 0, let number = try number(of: .shared(user: user)) else { return [] }
    var zones: [StoredZone] = []
    try connection.run(
      ListingStatements.sharedZones, [.integer(number), .integer(zone), .integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      zones.append(
        StoredZone(
          id: row.integer(0),
          database: try Self.database(scope: row.integer(7), owner: row.text(8)),
          name: row.text(1), change: row.integer(2), clientChangeToken: row.optionalText(3),
          encryptionScope: EncryptionScope(number: row.integer(4)),
          newestExpired: row.integer(5), newestExpiredPassage: row.integer(6)))
      return true
    }
    return zones
  }

  public func mustRelist(inSharedDatabaseOf user: String) throws(ServerError) -> Bool {
    guard let number = try number(of: .shared(user: user)) else { return false }
    return try !changedZones(in: number, limit: 1).isEmpty
  }

  @discardableResult
  public func list(
    _ zone: StoredZone, inSharedDatabaseOf user: String
  ) throws(ServerError) -> Int64 {
    if let known = try participation(of: user, in: zone) { return known }
    let home = try requiredNumber(of: zone)
    let number = try makeNumber(of: .shared(user: user))
    // Removes listings of an earlier zone with that name, and the user's earlier participation in
    // this zone.
    let name: [SQLValue] = [.integer(home), .text(zone.name)]
    try connection.queue(ListingStatements.removeNamed, [.integer(number)] + name + name)
    try countUp(number)
    // NB: the database's counter never decreases, so its number is also a unique participation
    // number.
    let count = try connection.first(ListingStatements.count, [.integer(number)]) {
      $0.integer(0)
    }
    guard let change = count else { throw .fault("a database has no row") }
    try connection.queue(
      ListingStatements.insert,
      [.integer(zone.id), .integer(zone.change), .integer(change), .integer(number)],
      expecting: .one(otherwise: "a zone was not listed"))
    try advanceWatch(of: home)
    return change
  }

  @discardableResult
  public func unlist(
    _ zone: StoredZone, inSharedDatabaseOf user: String, at time: Int64
  ) throws(ServerError) -> Bool {
    guard try participation(of: user, in: zone) != nil else { return false }
    let number = try makeNumber(of: .shared(user: user))
    try listDeleted(zone.id, in: number, reason: .deleted, at: time)
    try advanceWatch(of: try requiredNumber(of: zone))
    return true
  }

  @discardableResult
  public func relistChanged(
    inSharedDatabaseOf user: String, at time: Int64, limit: Int
  ) throws(ServerError) -> Bool {
    guard limit > 0, let number = try number(of: .shared(user: user)) else { return false }
    let changed = try changedZones(in: number, limit: limit)
    for zone in changed {
      if zone.isDeleted {
        try listDeleted(zone.id, in: number, reason: zone.reason, at: time)
      } else {
        try relist(zone.id, in: number)
        try connection.queue(
          ListingStatements.see, [.integer(zone.change), .integer(number), .integer(zone.id)])
      }
    }
    return changed.count >= limit
  }

  /// A zone whose listing in a shared database is out of date.
  private struct ChangedZone {
    var id: Int64
    var change: Int64
    var isDeleted: Bool
    var reason: ZoneDeletionReason
  }

  private func changedZones(
    in number: Int64, limit: Int
  ) throws(ServerError) -> [ChangedZone] {
    try connection.all(
      ListingStatements.changed, [.integer(number), .integer(Int64(limit))]
    ) { row in
      ChangedZone(
        id: row.integer(0), change: row.integer(1), isDeleted: row.integer(2) != 0,
        reason: ZoneDeletionReason(number: row.integer(3)))
    }
  }
}

private enum ListingStatements {
  static let countUp = SQLStatement(
    "UPDATE databases SET change = change + 1 WHERE database = ?")
  static let count = SQLStatement("SELECT change FROM databases WHERE database = ?")
  static let insert = SQLStatement(
    """
    INSERT INTO listings (
      database, zone, listed, seen, participation, deleted, deletion_reason)
    SELECT database, ?, change, ?, ?, 0, 0 FROM databases WHERE database = ?
    """)
  static let move = SQLStatement(
    """
    UPDATE listings SET listed = (SELECT change FROM databases WHERE database = ?)
    WHERE database = ? AND zone = ?
    """)
  static let delete = SQLStatement(
    """
    UPDATE listings SET listed = (SELECT change FROM databases WHERE database = ?),
      deleted = 1, deletion_reason = ?, deleted_at = ?
    WHERE database = ? AND zone = ?
    """)
  /// NB: `deleted <> 0` makes SQLite use the index `zones_deleted`.
  static let removeDeleted = SQLStatement(
    """
    DELETE FROM listings WHERE database = ? AND zone IN (
      SELECT zone FROM zones WHERE database = ? AND name = ? AND deleted <> 0)
    """)
  /// NB: as above. Only shared databases may still list them.
  static let removePurgedZones = SQLStatement(
    """
    DELETE FROM zones WHERE database = ? AND name = ? AND deleted <> 0 AND deleted = 2
      AND \(ListingTables.isUnlisted)
    """)
  static let participation = SQLStatement(
    "SELECT participation FROM listings WHERE database = ? AND zone = ? AND deleted = 0")
  static let sharedZones = SQLStatement(
    """
    SELECT zones.zone, zones.name, zones.change, zones.client_token, zones.encryption_scope,
      zones.newest_forgotten, zones.newest_passage_forgotten, databases.scope, databases.owner
    FROM listings JOIN zones ON zones.zone = listings.zone
      JOIN databases ON databases.database = zones.database
    WHERE listings.database = ? AND listings.zone > ? AND listings.deleted = 0
      AND zones.deleted = 0
    ORDER BY listings.zone LIMIT ?
    """)
  static let see = SQLStatement(
    "UPDATE listings SET seen = ? WHERE database = ? AND zone = ?")
  /// NB: live and deleted zones have separate indexes.
  static let removeNamed = SQLStatement(
    """
    DELETE FROM listings WHERE database = ? AND zone IN (
      SELECT zone FROM zones WHERE database = ? AND name = ? AND deleted = 0
      UNION ALL
      SELECT zone FROM zones WHERE database = ? AND name = ? AND deleted <> 0)
    """)
  /// Reads changed zones. A deleted zone's reason is in its owner's history while that lists the
  /// zone.
  static let changed = SQLStatement(
    """
    SELECT zones.zone, zones.change, zones.deleted, COALESCE(own.deletion_reason, 0)
    FROM listings JOIN zones ON zones.zone = listings.zone
      LEFT JOIN listings AS own
        ON own.database = zones.database AND own.zone = zones.zone
    WHERE listings.database = ? AND listings.deleted = 0
      AND (zones.change > listings.seen OR zones.deleted <> 0)
    ORDER BY listings.zone LIMIT ?
    """)
}
