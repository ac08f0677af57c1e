public import StratusDomain

extension StoreSession {
  public func sharedRoots(
    among names: [String], in zone: StoredZone
  ) throws(ServerError) -> Set<ExactName> {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: Set<ExactName> = []
    try connection.findSeveral(
      SharingStatements.roots, [.integer(number), .integer(zone.id)], names
    ) { row in
      result.insert(ExactName(row.text(0)))
    }
    return result
  }

  public func hierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [:] }
    var result: [ExactName: String] = [:]
    try connection.findSeveral(
      SharingStatements.hierarchies, [.integer(number), .integer(zone.id)], names
    ) { row in
      result[ExactName(row.text(0))] = row.text(1)
    }
    return result
  }

  public func positions(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: RecordPosition] {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [:] }
    var result: [ExactName: RecordPosition] = [:]
    try connection.findSeveral(
      SharingStatements.positions, [.integer(number), .integer(zone.id)], names
    ) { row in
      result[ExactName(row.text(0))] = RecordPosition(
        recordType: row.text(1), parentName: row.optionalText(2))
    }
    return result
  }

  public func parents(
    among names: [String], in zone: StoredZone
  ) throws(ServerError) -> Set<ExactName> {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [] }
    var result: Set<ExactName> = []
    for name in names {
      let values: [SQLValue] = [
        .integer(number), .integer(zone.id), .integer(LinkKind.parent.rawValue), .text(name),
      ]
      let found = try connection.first(SharingStatements.isParent, values) { $0.integer(0) }
      if found != nil { result.insert(ExactName(name)) }
    }
    return result
  }

  public func passages(
    in zone: StoredZone, ofHierarchies roots: [String], range: ChangeRange, newestFirst: Bool,
    limit: Int
  ) throws(ServerError) -> [Passage] {
    guard limit > 0, range.after < range.through, let number = try number(of: zone.database)
    else { return [] }
    var found: [Passage] = []
    var (after, through) = (range.after, range.through)
    // Each hierarchy is read with its own index range. When the page is full, the remaining
    // hierarchies are read only up to the page's last change, so at most three pages are in memory.
    for root in roots {
      let part = try passages(
        of: root,
        [
          .integer(number), .integer(zone.id), .text(root), .integer(after), .integer(through),
          .integer(Int64(limit)),
        ], newestFirst: newestFirst)
      found += part
      // NB: a record that moves between two hierarchies has two passages with the same change
      // number. So a page with `limit` numbers may have twice as many passages.
      guard found.count >= 2 * limit else { continue }
      found = Self.page(found, newestFirst: newestFirst, limit: limit)
      guard let last = found.last?.change else { continue }
      if newestFirst { after = max(after, last - 1) } else { through = min(through, last) }
    }
    return Self.page(found, newestFirst: newestFirst, limit: limit)
  }

  /// Sorts passages by their change numbers, and returns the first ones. Together, the returned
  /// passages have at most `limit` different change numbers.
  private static func page(_ passages: [Passage], newestFirst: Bool, limit: Int) -> [Passage] {
    let sorted = passages.sorted {
      newestFirst ? $0.change > $1.change : $0.change < $1.change
    }
    var changes = 0
    var last: Int64?
    return Array(
      sorted.prefix { passage in
        if passage.change != last { changes += 1 }
        last = passage.change
        return changes <= limit
      })
  }

  private func passages(
    of root: String, _ values: [SQLValue], newestFirst: Bool
  ) throws(ServerError) -> [Passage] {
    let statement =
      newestFirst ? SharingStatements.newestPassages : SharingStatements.oldestPassages
    return try connection.all(statement, values) { row in
      Passage(
        change: row.integer(0), recordName: row.text(1), recordType: row.text(2), rootName: root,
        kind: row.integer(3) == 1 ? .joined : .left, time: row.integer(4))
    }
  }

  public func newestPassage(
    in zone: StoredZone, ofHierarchies roots: [String]
  ) throws(ServerError) -> Int64 {
    guard !roots.isEmpty, let number = try number(of: zone.database) else { return 0 }
    var newest: Int64 = 0
    for root in roots {
      let change = try connection.first(
        SharingStatements.newestPassage, [.integer(number), .integer(zone.id), .text(root)]
      ) { $0.integer(0) }
      newest = max(newest, change ?? 0)
    }
    return newest
  }

  public func participants(
    ofShare root: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [String] {
    guard limit > 0 else { return [] }
    return try connection.all(
      SharingStatements.participants,
      [.integer(zone.id), .text(root ?? ""), .integer(Int64(limit))]
    ) { $0.text(0) }
  }

  public func unfinishedHierarchies(
    after zone: StoredZone?, limit: Int
  ) throws(ServerError) -> [UnfinishedHierarchy] {
    guard limit > 0 else { return [] }
    // NB: a zone never moves to another database, and database numbers and zone numbers begin with
    // 1.
    var key: [SQLValue] = [.integer(0), .integer(0)]
    if let zone { key = [.integer(try number(of: zone.database) ?? 0), .integer(zone.id)] }
    var result: [UnfinishedHierarchy] = []
    try connection.run(
      SharingStatements.unfinished, key + [.integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      let zone = StoredZone(
        id: row.integer(2), database: try Self.database(scope: row.integer(5), owner: row.text(6)),
        name: row.text(3), change: row.integer(4), clientChangeToken: nil, hasHierarchies: true,
        incarnation: row.integer(7))
      result.append(
        UnfinishedHierarchy(zone: zone, parentName: row.text(0), cursor: row.optionalText(1)))
      return true
    }
    return result
  }

  public func unfinishedHierarchies(
    in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [UnfinishedHierarchy] {
    guard limit > 0, let number = try number(of: zone.database) else { return [] }
    return try connection.all(
      SharingStatements.unfinishedOfZone,
      [.integer(number), .integer(zone.id), .integer(Int64(limit))]
    ) { row in
      UnfinishedHierarchy(zone: zone, parentName: row.text(0), cursor: row.optionalText(1))
    }
  }

  public func hasUnfinishedHierarchies(
    outside root: String, in zone: StoredZone
  ) throws(ServerError) -> Bool {
    guard let number = try number(of: zone.database) else { return false }
    let found = try connection.first(
      SharingStatements.unfinishedOutside,
      [.text(root), .integer(number), .integer(zone.id)]
    ) { $0.integer(0) }
    return found != nil
  }

  public func addSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      SharingStatements.addRoot, [.integer(number), .integer(zone.id), .text(name)])
    try connection.queue(SharingStatements.markZone, [.integer(zone.id)])
  }

  public func removeSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      SharingStatements.removeRoot, [.integer(number), .integer(zone.id), .text(name)])
  }

  public func addUnfinished(_ hierarchy: UnfinishedHierarchy) throws(ServerError) {
    let cursor: SQLValue = hierarchy.cursor.map { .text($0) } ?? .null
    try connection.queue(
      SharingStatements.addUnfinished, try values(of: hierarchy) + [cursor])
  }

  public func finish(_ hierarchy: UnfinishedHierarchy) throws(ServerError) {
    try connection.queue(SharingStatements.finish, try values(of: hierarchy))
  }

  private func values(of hierarchy: UnfinishedHierarchy) throws(ServerError) -> [SQLValue] {
    [
      .integer(try requiredNumber(of: hierarchy.zone)), .integer(hierarchy.zone.id),
      .text(hierarchy.parentName),
    ]
  }

  /// Writes the passages of a change set. A passage is the newest event of a record in a shared
  /// hierarchy. Passages of records that left a hierarchy are written first, because a record is in
  /// at most one hierarchy.
  ///
  /// - Throws: `INTERNAL_ERROR` if the number of a passage belongs to another change. A passage has
  ///   the number of its record's new state, or a number after all new states. The numbers after
  ///   all new states must have no gaps.
  func add(passagesOf changes: ChangeSet, in database: Int64) throws(ServerError) {
    if changes.passages.isEmpty { return }
    let last = changes.zone.change + Int64(changes.records.count)
    var named: [Int64: ExactName] = [:]
    for record in changes.records { named[record.change] = ExactName(record.name) }
    var further: Set<Int64> = []
    for passage in changes.passages {
      let name = ExactName(passage.recordName)
      if let known = named[passage.change], known != name {
        throw .fault("a passage has the number of another change")
      }
      named[passage.change] = name
      if passage.change > last { further.insert(passage.change) }
    }
    guard Int64(further.count) == changes.newestChange - last,
      changes.passages.allSatisfy({ $0.change > changes.zone.change })
    else { throw .fault("a passage has the number of another change") }
    for kind in [Passage.Kind.left, .joined] {
      for passage in changes.passages where passage.kind == kind {
        try connection.queue(
          SharingStatements.writePassage,
          [
            .integer(database), .integer(changes.zone.id), .text(passage.rootName),
            .text(passage.recordName), .text(passage.recordType), .integer(passage.change),
            .integer(kind == .joined ? 1 : 2), .integer(passage.time),
          ])
      }
    }
  }
}

private enum SharingStatements {
  static let roots = SQLStatement(
    """
    SELECT name FROM shared_roots
    WHERE database = ? AND zone = ? AND name IN (\(SQLStatement.severalNames))
    """)
  static let hierarchies = SQLStatement(
    """
    SELECT name, root FROM passages
    WHERE database = ? AND zone = ? AND kind = 1 AND name IN (\(SQLStatement.severalNames))
    """)
  static let isParent = SQLStatement(
    "SELECT 1 FROM links WHERE database = ? AND zone = ? AND kind = ? AND target = ? LIMIT 1")
  static let positions = SQLStatement(
    """
    SELECT name, type, parent FROM records
    WHERE database = ? AND zone = ? AND deleted = 0 AND name IN (\(SQLStatement.severalNames))
    """)
  private static let passages = """
    SELECT change, name, type, kind, made_at FROM passages
    WHERE database = ? AND zone = ? AND root = ? AND change > ? AND change <= ?
    """
  static let oldestPassages = SQLStatement(passages + " ORDER BY change LIMIT ?")
  static let newestPassages = SQLStatement(passages + " ORDER BY change DESC LIMIT ?")
  static let newestPassage = SQLStatement(
    "SELECT MAX(change) FROM passages WHERE database = ? AND zone = ? AND root = ?")
  static let participants = SQLStatement(
    """
    SELECT databases.owner
    FROM joined_shares JOIN databases ON databases.database = joined_shares.database
    WHERE joined_shares.zone = ? AND joined_shares.root = ?
    ORDER BY joined_shares.database LIMIT ?
    """)
  static let unfinished = SQLStatement(
    """
    SELECT unfinished_hierarchies.name, unfinished_hierarchies.place, zones.zone, zones.name,
      zones.change, databases.scope, databases.owner, \(ZoneStatements.incarnation)
    FROM unfinished_hierarchies JOIN zones ON zones.zone = unfinished_hierarchies.zone
      JOIN databases ON databases.database = zones.database
    WHERE zones.deleted = 0
      AND (unfinished_hierarchies.database, unfinished_hierarchies.zone) > (?, ?)
    ORDER BY unfinished_hierarchies.database, unfinished_hierarchies.zone,
      unfinished_hierarchies.name
    LIMIT ?
    """)
  static let unfinishedOfZone = SQLStatement(
    """
    SELECT name, place FROM unfinished_hierarchies WHERE database = ? AND zone = ?
    ORDER BY name LIMIT ?
    """)
  static let unfinishedOutside = SQLStatement(
    """
    SELECT 1 FROM unfinished_hierarchies
      LEFT JOIN passages ON passages.database = unfinished_hierarchies.database
        AND passages.zone = unfinished_hierarchies.zone AND passages.root = ?
        AND passages.name = unfinished_hierarchies.name AND passages.kind = 1
    WHERE unfinished_hierarchies.database = ? AND unfinished_hierarchies.zone = ?
      AND passages.name IS NULL
    LIMIT 1
    """)
  static let addRoot = SQLStatement(
    """
    INSERT INTO shared_roots (database, zone, name) VALUES (?, ?, ?)
    ON CONFLICT (database, zone, name) DO NOTHING
    """)
  static let markZone = SQLStatement("UPDATE zones SET has_hierarchies = 1 WHERE zone = ?")
  static let removeRoot = SQLStatement(
    "DELETE FROM shared_roots WHERE database = ? AND zone = ? AND name = ?")
  static let addUnfinished = SQLStatement(
    """
    INSERT INTO unfinished_hierarchies (database, zone, name, place) VALUES (?, ?, ?, ?)
    ON CONFLICT (database, zone, name) DO UPDATE SET place = excluded.place
    """)
  static let finish = SQLStatement(
    "DELETE FROM unfinished_hierarchies WHERE database = ? AND zone = ? AND name = ?")
  static let writePassage = SQLStatement(
    """
    INSERT INTO passages (database, zone, root, name, type, change, kind, made_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, root, name) DO UPDATE SET
      type = excluded.type, change = excluded.change, kind = excluded.kind,
      made_at = excluded.made_at
    """)
}
