public import StratusDomain
import StratusWire

extension StoreSession {
  public func links(
    _ kind: LinkKind, to targets: [String], in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink] {
    guard !targets.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: [RecordLink] = []
    let exact = Set(targets.map(ExactName.init)).map(\.text)
    // NB: a statement a target. With `IN`, SQLite would sort all their links before the limit.
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
        id: row.integer(0), database: try Self.database(scope: row.integer(4), owner: row.text(5)),
        name: row.text(1), change: row.integer(2), clientChangeToken: row.optionalText(3))
      result.append(
        UnfinishedCascade(
          zone: zone, target: row.text(6), userRecordName: row.text(7), deviceID: row.text(8)))
      return true
    }
    return result
  }

  public func addCascade(_ cascade: UnfinishedCascade) throws(ServerError) {
    try connection.execute(
      LinkStatements.insertCascade,
      try values(of: cascade) + [.text(cascade.userRecordName), .text(cascade.deviceID)])
  }

  public func finishCascade(_ cascade: UnfinishedCascade) throws(ServerError) {
    try connection.execute(LinkStatements.deleteCascade, try values(of: cascade))
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
  static let existing = SQLStatement(
    """
    SELECT name FROM records
    WHERE database = ? AND zone = ? AND deleted = 0 AND name IN (\(SQLStatement.severalNames))
    """)
  static let cascades = SQLStatement(
    """
    SELECT zones.zone, zones.name, zones.change, zones.client_token, databases.scope,
      databases.owner, cascades.target, cascades.deleted_by, cascades.deleted_device
    FROM cascades
      JOIN zones ON zones.zone = cascades.zone
      JOIN databases ON databases.database = cascades.database
    WHERE zones.deleted = 0 ORDER BY cascades.cascade_id LIMIT ?
    """)
  /// Who deleted the record first stays.
  static let insertCascade = SQLStatement(
    """
    INSERT INTO cascades (database, zone, target, deleted_by, deleted_device)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (database, zone, target) DO NOTHING
    """)
  static let deleteCascade = SQLStatement(
    "DELETE FROM cascades WHERE database = ? AND zone = ? AND target = ?")
}
