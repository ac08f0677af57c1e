public import StratusDomain
import StratusWire

extension StoreSession {
  public func links(
    _ kind: LinkKind, to targets: [String], in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink] {
    guard !targets.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: [RecordLink] = []
    let exact = Set(targets.map(ExactName.init)).map(\.text)
    // NB: each target has its own statement. With `IN`, SQLite would sort the links of all targets
    // before it applies the limit.
    for target in exact.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let room = limit - result.count
      if room <= 0 { break }
      let values: [SQLValue] = [
        .integer(number), .integer(zone.id), .integer(kind.rawValue), .text(target),
        .integer(Int64(room)),
      ]
      try connection.run(LinkStatements.find, values) { (row) throws(ServerError) in
        result.append(RecordLink(kind: kind, target: target, source: row.text(0)))
        return true
      }
    }
    return result
  }

  public func links(
    _ kind: LinkKind, to target: String, after source: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink] {
    guard limit > 0, let number = try number(of: zone.database) else { return [] }
    var values: [SQLValue] = [
      .integer(number), .integer(zone.id), .integer(kind.rawValue), .text(target),
    ]
    if let source { values.append(.text(source)) }
    values.append(.integer(Int64(limit)))
    return try connection.all(
      source == nil ? LinkStatements.find : LinkStatements.findAfter, values
    ) { row in
      RecordLink(kind: kind, target: target, source: row.text(0))
    }
  }

  public func existing(
    _ names: [String], in zone: StoredZone
  ) throws(ServerError) -> Set<ExactName> {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: Set<ExactName> = []
    let key: [SQLValue] = [.integer(number), .integer(zone.id)]
    try connection.findSeveral(LinkStatements.existing, key, names) { row in
      result.insert(ExactName(row.text(0)))
    }
    return result
  }

  public func unfinishedCascades(limit: Int) throws(ServerError) -> [UnfinishedCascade] {
    guard limit > 0 else { return [] }
    var result: [UnfinishedCascade] = []
    try connection.run(
      LinkStatements.cascades, [.integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      let zone = StoredZone(
        id: row.integer(5), database: try Self.database(scope: row.integer(9), owner: row.text(10)),
        name: row.text(6), change: row.integer(7), clientChangeToken: row.optionalText(8),
        incarnation: row.integer(11))
      result.append(Self.cascade(row, in: zone))
      return true
    }
    return result
  }

  public func hasUnfinishedCascades(in zone: StoredZone) throws(ServerError) -> Bool {
    guard let number = try number(of: zone.database) else { return false }
    let found = try connection.first(
      LinkStatements.anyCascade, [.integer(number), .integer(zone.id)]
    ) { $0.integer(0) }
    return found != nil
  }

  public func unfinishedCascades(
    of targets: [String], in zone: StoredZone
  ) throws(ServerError) -> [UnfinishedCascade] {
    guard !targets.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: [UnfinishedCascade] = []
    let key: [SQLValue] = [.integer(number), .integer(zone.id)]
    try connection.findSeveral(LinkStatements.cascadesOfTargets, key, targets) { row in
      result.append(Self.cascade(row, in: zone))
    }
    return result
  }

  private static func cascade(_ row: any SQLRow, in zone: StoredZone) -> UnfinishedCascade {
    UnfinishedCascade(
      zone: zone, target: row.text(0), change: row.integer(1), cursor: row.optionalText(2),
      userRecordName: row.text(3), deviceID: row.text(4))
  }

  public func addCascade(_ cascade: UnfinishedCascade) throws(ServerError) {
    let cursor: SQLValue = cascade.cursor.map { .text($0) } ?? .null
    try connection.queue(
      LinkStatements.writeCascade,
      try values(of: cascade) + [
        .integer(cascade.change), cursor, .text(cascade.userRecordName), .text(cascade.deviceID),
      ])
  }

  public func finishCascade(_ cascade: UnfinishedCascade) throws(ServerError) {
    try connection.queue(LinkStatements.deleteCascade, try values(of: cascade))
  }

  private func values(of cascade: UnfinishedCascade) throws(ServerError) -> [SQLValue] {
    [
      .integer(try requiredNumber(of: cascade.zone)), .integer(cascade.zone.id),
      .text(cascade.target),
    ]
  }
}

private enum LinkStatements {
  static let find = SQLStatement(
    """
    SELECT name FROM links WHERE database = ? AND zone = ? AND kind = ? AND target = ?
    ORDER BY name LIMIT ?
    """)
  static let findAfter = SQLStatement(
    """
    SELECT name FROM links
    WHERE database = ? AND zone = ? AND kind = ? AND target = ? AND name > ?
    ORDER BY name LIMIT ?
    """)
  static let existing = SQLStatement(
    """
    SELECT name FROM records
    WHERE database = ? AND zone = ? AND deleted = 0 AND name IN (\(SQLStatement.severalNames))
    """)
  private static let columns = """
    cascades.target, cascades.change, cascades.place, cascades.deleted_by,
    cascades.deleted_device
    """
  static let cascades = SQLStatement(
    """
    SELECT \(columns), zones.zone, zones.name, zones.change, zones.client_token,
      databases.scope, databases.owner, \(ZoneStatements.incarnation)
    FROM cascades
      JOIN zones ON zones.zone = cascades.zone
      JOIN databases ON databases.database = cascades.database
    WHERE zones.deleted = 0 ORDER BY cascades.cascade_id LIMIT ?
    """)
  static let anyCascade = SQLStatement(
    "SELECT 1 FROM cascades WHERE database = ? AND zone = ? LIMIT 1")
  static let cascadesOfTargets = SQLStatement(
    """
    SELECT \(columns) FROM cascades
    WHERE database = ? AND zone = ? AND target IN (\(SQLStatement.severalNames))
    """)
  /// A replaced cascade keeps its position among the other cascades.
  static let writeCascade = SQLStatement(
    """
    INSERT INTO cascades
      (database, zone, target, change, place, deleted_by, deleted_device)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, target) DO UPDATE SET
      change = excluded.change, place = excluded.place, deleted_by = excluded.deleted_by,
      deleted_device = excluded.deleted_device
    """)
  static let deleteCascade = SQLStatement(
    "DELETE FROM cascades WHERE database = ? AND zone = ? AND target = ?")
}
