public import StratusDomain
import StratusWire

extension StoreSession {
  public func shareLink(
    _ shortGUID: String
  ) throws(ServerError) -> (link: ShareLink, zone: ZoneAddress)? {
    var found: (link: ShareLink, zone: ZoneAddress)?
    try connection.run(LinkStatements.find, [.text(shortGUID)]) { (row) throws(ServerError) in
      found = (
        Self.link(row),
        ZoneAddress(
          database: try Self.database(scope: row.integer(3), owner: row.text(4)),
          name: row.text(5))
      )
      return false
    }
    return found
  }

  public func shareLink(
    ofRoot root: String?, in zone: StoredZone
  ) throws(ServerError) -> ShareLink? {
    guard let number = try number(of: zone.database) else { return nil }
    return try connection.first(
      LinkStatements.ofRoot, [.integer(number), .integer(zone.id), .text(root ?? "")], Self.link)
  }

  public func zoneShares(in database: DatabaseKey) throws(ServerError) -> [Int64: String] {
    guard let number = try number(of: database) else { return [:] }
    var shares: [Int64: String] = [:]
    try connection.run(LinkStatements.ofZones, [.integer(number)]) { (row) throws(ServerError) in
      shares[row.integer(0)] = row.text(1)
      return true
    }
    return shares
  }

  public func shareCount(in database: DatabaseKey) throws(ServerError) -> Int {
    guard let number = try number(of: database) else { return 0 }
    let count = try connection.first(LinkStatements.count, [.integer(number)]) { $0.integer(0) }
    return Int(count ?? 0)
  }

  public func sharedRoots(
    in zone: StoredZone, after name: String?, limit: Int
  ) throws(ServerError) -> [String] {
    guard limit > 0, let number = try number(of: zone.database) else { return [] }
    return try connection.all(
      LinkStatements.roots,
      [.integer(number), .integer(zone.id), .text(name ?? ""), .integer(Int64(limit))]
    ) { $0.text(0) }
  }

  public func unfinishedParents(
    in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [String] {
    guard limit > 0, let number = try number(of: zone.database) else { return [] }
    return try connection.all(
      LinkStatements.unfinished,
      [.integer(number), .integer(zone.id), .integer(Int64(limit))]
    ) { $0.text(0) }
  }

  public func readableHierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] {
    try consistentHierarchies(of: names, in: zone)
  }

  public func keep(_ link: ShareLink, in zone: StoredZone) throws(ServerError) {
    try connection.queue(
      LinkStatements.keep,
      [
        .integer(try requiredNumber(of: zone)), .integer(zone.id), .text(link.rootName ?? ""),
        .text(link.shortGUID), .optional(link.shareName),
      ])
  }

  private static func link(_ row: any SQLRow) -> ShareLink {
    let root = row.text(0)
    return ShareLink(
      rootName: root.isEmpty ? nil : root, shortGUID: row.text(1), shareName: row.optionalText(2))
  }
}

private enum LinkStatements {
  static let find = SQLStatement(
    """
    SELECT share_links.root, share_links.guid, share_links.name, databases.scope,
      databases.owner, zones.name
    FROM share_links JOIN zones ON zones.zone = share_links.zone
      JOIN databases ON databases.database = share_links.database
    WHERE share_links.guid = ? AND zones.deleted = 0
    """)
  static let ofRoot = SQLStatement(
    "SELECT root, guid, name FROM share_links WHERE database = ? AND zone = ? AND root = ?")
  /// NB: `name IS NOT NULL` repeats the condition of the index `share_links_shared`, which would
  /// otherwise not be used.
  static let count = SQLStatement(
    """
    SELECT COUNT(*) FROM share_links JOIN zones ON zones.zone = share_links.zone
    WHERE share_links.database = ? AND share_links.name IS NOT NULL AND zones.deleted = 0
    """)
  /// NB: `name IS NOT NULL` repeats the condition of the index `share_links_shared`, which would
  /// otherwise not be used.
  static let ofZones = SQLStatement(
    "SELECT zone, name FROM share_links WHERE database = ? AND name IS NOT NULL AND root = ''")
  static let roots = SQLStatement(
    """
    SELECT name FROM shared_roots WHERE database = ? AND zone = ? AND name > ?
    ORDER BY name LIMIT ?
    """)
  static let unfinished = SQLStatement(
    "SELECT name FROM unfinished_hierarchies WHERE database = ? AND zone = ? LIMIT ?")
  static let keep = SQLStatement(
    """
    INSERT INTO share_links (database, zone, root, guid, name) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, root) DO UPDATE SET guid = excluded.guid, name = excluded.name
    """)
}
