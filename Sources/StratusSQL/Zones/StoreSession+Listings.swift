public import StratusDomain
import StratusWire

/// The listings of zones in the histories of databases. The transaction that changes a zone also
/// writes the zone's listing in the owner's database.
extension StoreSession {
  /// Inserts a new zone into the history, with the newest number of the counter.
  func list(_ zone: Int64, in number: Int64) throws(ServerError) {
    try connection.queue(
      ListingStatements.insert, [.integer(zone), .integer(0), .integer(0), .integer(number)],
      expecting: .one(otherwise: "a zone was not listed"))
  }

  /// Moves a zone to the end of the history, for example after its records changed.
  func relist(_ zone: Int64, in number: Int64) throws(ServerError) {
    try countUp(number)
    try connection.queue(
      ListingStatements.move, [.integer(number), .integer(number), .integer(zone)],
      expecting: .one(otherwise: "a zone that changed is not listed"))
  }

  /// Moves a zone to the end of the history and marks it as deleted.
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

  /// Removes deleted zones with the given name from the history, because the caller adds a new zone
  /// with this name. A purged zone is removed completely if no history lists it.
  func unlistDeleted(named name: String, in number: Int64) throws(ServerError) {
    let values: [SQLValue] = [.integer(number), .text(name)]
    try connection.queue(ListingStatements.removeDeleted, [.integer(number)] + values)
    try connection.queue(ListingStatements.removePurgedZones, values)
  }

  /// Returns the newest number of a database's counter of zone changes.
  private func newestChange(of number: Int64) throws(ServerError) -> Int64 {
    let count = try connection.first(ListingStatements.count, [.integer(number)]) {
      $0.integer(0)
    }
    guard let count else { throw .fault("a database has no row") }
    return count
  }

  /// Increments a database's counter of zone changes.
  func countUp(_ number: Int64) throws(ServerError) {
    try connection.queue(
      ListingStatements.countUp, [.integer(number)],
      expecting: .one(otherwise: "a database has no row"))
  }
}

/// Reads and changes the participations of users: which zones and shares are in a user's shared
/// database.
extension StoreSession {
  public func participation(
    of user: String, inZone zone: Int64
  ) throws(ServerError) -> Participation? {
    guard let database = try number(of: .shared(user: user)) else { return nil }
    var number: Int64?
    var shares: [JoinedShare] = []
    try connection.run(
      ListingStatements.participation, [.integer(database), .integer(zone)]
    ) { (row) throws(ServerError) in
      guard let permission = SharePermission(rawValue: row.integer(2)) else {
        throw .fault("a share has an unknown permission")
      }
      let root = row.text(1)
      number = row.integer(0)
      shares.append(
        JoinedShare(
          rootName: root.isEmpty ? nil : root, permission: permission, joined: row.integer(3),
          since: row.integer(4), isAdministrator: row.integer(5) != 0))
      return true
    }
    return number.map { Participation(number: $0, shares: shares) }
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
          database: try Self.database(scope: row.integer(8), owner: row.text(9)),
          name: row.text(1), change: row.integer(2), clientChangeToken: row.optionalText(3),
          encryptionScope: EncryptionScope(number: row.integer(4)),
          newestExpired: row.integer(5), newestExpiredPassage: row.integer(6),
          hasHierarchies: row.integer(7) != 0, incarnation: row.integer(10)))
      return true
    }
    return zones
  }

  public func mustRelist(inSharedDatabaseOf user: String) throws(ServerError) -> Bool {
    guard let number = try number(of: .shared(user: user)) else { return false }
    return try !changedZones(in: number, limit: 1).isEmpty
  }

  @discardableResult
  public func join(
    _ zone: StoredZone, root: String?, permission: SharePermission, isAdministrator: Bool,
    user: String
  ) throws(ServerError) -> Int64 {
    let number = try makeNumber(of: .shared(user: user))
    let share: [SQLValue] = [.integer(number), .integer(zone.id), .text(root ?? "")]
    let rights: [SQLValue] = [.integer(permission.rawValue), .flag(isAdministrator)]
    guard let known = try participation(of: user, in: zone) else {
      let participation = try list(zone, in: number)
      try connection.queue(
        ListingStatements.joinShare,
        share + rights + [.integer(participation), .integer(zone.change)])
      return participation
    }
    if known.shares.contains(where: { $0.rootName.map(ExactName.init) == root.map(ExactName.init) })
    {
      try connection.queue(
        ListingStatements.permit, rights + share)
      return known.number
    }
    try relist(zone.id, in: number)
    let change = try newestChange(of: number)
    try connection.queue(
      ListingStatements.joinShare,
      share + rights + [.integer(change), .integer(zone.change)])
    if known.shares.contains(where: { ($0.rootName == nil) != (root == nil) }) {
      try renumber(zone.id, in: number, to: change)
      return change
    }
    return known.number
  }

  @discardableResult
  public func leave(
    _ zone: StoredZone, root: String?, user: String, at time: Int64
  ) throws(ServerError) -> Bool {
    guard let number = try number(of: .shared(user: user)) else { return false }
    let key: [SQLValue] = [.integer(number), .integer(zone.id), .text(root ?? "")]
    // NB: this reads only one share, because the list of all shares may be long, and a zone may
    // lose many participants at once.
    let joined = try connection.first(ListingStatements.joinedShare, key) { $0.integer(0) }
    if joined == nil { return false }
    let other = try connection.first(ListingStatements.otherShare, key) { $0.integer(0) }
    if other == nil { return try unlist(zone, inSharedDatabaseOf: user, at: time) }
    try connection.queue(
      ListingStatements.leaveShare, [.integer(number), .integer(zone.id), .text(root ?? "")])
    try relist(zone.id, in: number)
    try renumber(zone.id, in: number, to: try newestChange(of: number))
    return true
  }

  /// Gives a participation a new number, so that the user's change tokens for the zone expire.
  private func renumber(
    _ zone: Int64, in number: Int64, to participation: Int64
  ) throws(ServerError) {
    try connection.queue(
      ListingStatements.renumber, [.integer(participation), .integer(number), .integer(zone)])
  }

  /// Inserts a zone of another user into the history of a shared database.
  ///
  /// - Parameter number: the number of the shared database.
  /// - Returns: the number of the participation that begins.
  private func list(_ zone: StoredZone, in number: Int64) throws(ServerError) -> Int64 {
    let home = try requiredNumber(of: zone)
    // Removes listings of an earlier zone with the same name, and the user's earlier participation
    // in this zone.
    let name: [SQLValue] = [.integer(home), .text(zone.name)]
    try connection.queue(ListingStatements.removeNamed, [.integer(number)] + name + name)
    try countUp(number)
    // NB: the counter of a database never decreases, so the new number is also unique as the number
    // of a participation.
    let change = try newestChange(of: number)
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
    try connection.queue(
      ListingStatements.leaveShares, [.integer(number), .integer(zone.id)])
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
        try connection.queue(
          ListingStatements.leaveShares, [.integer(number), .integer(zone.id)])
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
  /// NB: `deleted <> 0` makes SQLite use the index `zones_deleted`. If a history still lists a
  /// purged zone, it is the history of a shared database.
  static let removePurgedZones = SQLStatement(
    """
    DELETE FROM zones WHERE database = ? AND name = ? AND deleted <> 0 AND deleted = 2
      AND \(ListingTables.isUnlisted)
    """)
  static let participation = SQLStatement(
    """
    SELECT listings.participation, joined_shares.root, joined_shares.permission,
      joined_shares.joined, joined_shares.since, joined_shares.administers
    FROM listings JOIN joined_shares ON joined_shares.database = listings.database
      AND joined_shares.zone = listings.zone
    WHERE listings.database = ? AND listings.zone = ? AND listings.deleted = 0
    ORDER BY joined_shares.root
    """)
  static let joinShare = SQLStatement(
    """
    INSERT INTO joined_shares (database, zone, root, permission, administers, joined, since)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """)
  static let permit = SQLStatement(
    """
    UPDATE joined_shares SET permission = ?, administers = ?
    WHERE database = ? AND zone = ? AND root = ?
    """)
  static let joinedShare = SQLStatement(
    "SELECT 1 FROM joined_shares WHERE database = ? AND zone = ? AND root = ?")
  static let otherShare = SQLStatement(
    "SELECT 1 FROM joined_shares WHERE database = ? AND zone = ? AND root <> ? LIMIT 1")
  static let leaveShare = SQLStatement(
    "DELETE FROM joined_shares WHERE database = ? AND zone = ? AND root = ?")
  static let leaveShares = SQLStatement(
    "DELETE FROM joined_shares WHERE database = ? AND zone = ?")
  static let renumber = SQLStatement(
    "UPDATE listings SET participation = ? WHERE database = ? AND zone = ?")
  static let sharedZones = SQLStatement(
    """
    SELECT zones.zone, zones.name, zones.change, zones.client_token, zones.encryption_scope,
      zones.newest_forgotten, zones.newest_passage_forgotten, zones.has_hierarchies,
      databases.scope, databases.owner, \(ZoneStatements.incarnation)
    FROM listings JOIN zones ON zones.zone = listings.zone
      JOIN databases ON databases.database = zones.database
    WHERE listings.database = ? AND listings.zone > ? AND listings.deleted = 0
      AND zones.deleted = 0
    ORDER BY listings.zone LIMIT ?
    """)
  static let see = SQLStatement(
    "UPDATE listings SET seen = ? WHERE database = ? AND zone = ?")
  /// NB: two statements are joined by `UNION ALL`, because live and deleted zones have separate
  /// indexes.
  static let removeNamed = SQLStatement(
    """
    DELETE FROM listings WHERE database = ? AND zone IN (
      SELECT zone FROM zones WHERE database = ? AND name = ? AND deleted = 0
      UNION ALL
      SELECT zone FROM zones WHERE database = ? AND name = ? AND deleted <> 0)
    """)
  /// Reads the zones whose listings in a shared database are out of date. A participant of
  /// hierarchies learns only of changes in these hierarchies.
  ///
  /// The reason of a deletion is in the owner's listing of the zone, as long as that listing
  /// exists.
  static let changed = SQLStatement(
    """
    SELECT zones.zone, zones.change, zones.deleted, COALESCE(own.deletion_reason, 0)
    FROM listings JOIN zones ON zones.zone = listings.zone
      LEFT JOIN listings AS own
        ON own.database = zones.database AND own.zone = zones.zone
    WHERE listings.database = ? AND listings.deleted = 0
      AND (zones.deleted <> 0 OR zones.change > listings.seen AND EXISTS (
        SELECT 1 FROM joined_shares
        WHERE joined_shares.database = listings.database AND joined_shares.zone = listings.zone
          AND (joined_shares.root = '' OR EXISTS (
            SELECT 1 FROM passages
            WHERE passages.database = zones.database AND passages.zone = zones.zone
              AND passages.root = joined_shares.root AND passages.change > listings.seen))))
    ORDER BY listings.zone LIMIT ?
    """)
}
