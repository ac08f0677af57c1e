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
    return try connection.first(ZoneStatements.findID, [.integer(number), .integer(id)]) {
      StoredZone($0, named: $0.text(ZoneStatements.columnCount), in: database)
    }
  }

  public func lockZone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> StoredZone? {
    readAhead = nil
    if let known = known(ZoneAddress(database: database, name: name)) { return use(known.read) }
    return try find(ZoneStatements.lock, named: name, in: database)
  }

  public func lockZone(
    named name: String, in database: DatabaseKey, beforeReading record: String
  ) throws(ServerError) -> StoredZone? {
    guard connection.dialect.combinesStatements else {
      return try lockZone(named: name, in: database)
    }
    readAhead = nil
    let exactName = ExactName(record)
    if let known = known(ZoneAddress(database: database, name: name)),
      let state = known.records[exactName]
    {
      readAhead = ReadAhead(zone: known.read.zone.id, name: exactName, record: state)
      return use(known.read)
    }
    let view = DatabaseView(of: database)
    let values: [SQLValue] =
      [.integer(watchVersion(of: view)), .text(record)] + Self.values(of: view) + [.text(name)]
    return try connection.first(ZoneStatements.lockAndRead, values) { row in
      let read = ZoneRead(row, named: name, in: database)
      readAhead = ReadAhead(zone: read.zone.id, name: exactName, record: read.record)
      return use(read)
    }
  }

  public func readTogether(_ wishes: [ReadWish]) throws(ServerError) {
    guard let lists = connection.dialect.lists else { return }
    var columns = [[SQLValue]](repeating: [], count: 6)
    for (position, wish) in wishes.enumerated() {
      let view = DatabaseView(of: wish.database)
      let values: [SQLValue] =
        [.integer(Int64(position)), .integer(watchVersion(of: view))] + Self.values(of: view)
        + [.text(wish.zone), .text(wish.record)]
      for (column, value) in values.enumerated() { columns[column].append(value) }
    }
    let values =
      columns[0...2].map { lists.integers($0) } + columns[3...5].map { lists.texts($0) }
    var zones: [ZoneAddress: ReadTogether.Zone] = [:]
    try connection.run(ZoneStatements.readTogether, values) { (row) throws(ServerError) in
      let position = Int(row.integer(ZoneRead.columnCount))
      guard wishes.indices.contains(position) else {
        throw .fault("a zone was read that no body wants")
      }
      let wish = wishes[position]
      let address = ZoneAddress(database: wish.database, name: wish.zone)
      let read = ZoneRead(row, named: wish.zone, in: wish.database)
      // NB: `updateValue` also stores a nil, which means that there is no such record.
      zones[address, default: ReadTogether.Zone(read: read)].records
        .updateValue(read.record, forKey: ExactName(wish.record))
      return true
    }
    ahead = ReadTogether(zones: zones, writes: connection.writes)
  }

  /// The zones and records that a transaction has read for several bodies before they ran.
  struct ReadTogether {
    struct Zone {
      var read: ZoneRead
      /// The latest states of some records. A nil means that there is no such record.
      var records: [ExactName: StoredRecord?] = [:]
    }

    var zones: [ZoneAddress: Zone] = [:]
    /// The number of the transaction's writes that ``zones`` contains. After any other write, the
    /// values may be outdated.
    var writes = 0
  }

  /// Whether the values of ``ahead`` are those that a statement would read.
  var isAheadValid: Bool { !ahead.zones.isEmpty && connection.writes == ahead.writes }

  private func known(_ address: ZoneAddress) -> ReadTogether.Zone? {
    isAheadValid ? ahead.zones[address] : nil
  }

  /// Adds a change set to the values of ``ahead``. The calling code has sent or collected all
  /// writes of the change set, and the values were valid before.
  func noteAhead(_ changes: ChangeSet, recentUsage: String) {
    let address = ZoneAddress(database: changes.zone.database, name: changes.zone.name)
    if var known = ahead.zones[address] {
      known.read.zone.change = changes.newestChange
      if let token = changes.clientChangeToken { known.read.zone.clientChangeToken = token }
      known.read.recentUsage = recentUsage
      for record in changes.records {
        known.records.removeValue(forKey: ExactName(record.name))
      }
      ahead.zones[address] = known
    }
    ahead.writes = connection.writes
  }

  /// Remembers what was read together with a zone.
  private func use(_ read: ZoneRead) -> StoredZone {
    remember(read.number, of: DatabaseView(of: read.zone.database))
    note(epoch: read.epoch, watchVersion: read.watchVersion, of: read.number)
    note(recentUsage: read.recentUsage, of: read.zone.id)
    schemaVersion = read.schemaVersion
    if !read.mayBeWatched { noteUnwatched(read.number, version: read.watchVersion) }
    return read.zone
  }

  /// The state of one record that the session has read together with the record's zone.
  struct ReadAhead {
    var zone: Int64
    var name: ExactName
    /// The record or its tombstone, or nil if there is neither.
    var record: StoredRecord?
  }

  /// Returns the latest states of some records if they were read ahead, and forgets them.
  func takeReadAhead(
    of names: [String], in zone: StoredZone
  ) -> [ExactName: StoredRecord]? {
    guard names.count == 1, let known = readAhead, known.zone == zone.id,
      known.name == ExactName(names[0])
    else { return nil }
    readAhead = nil
    guard let record = known.record else { return [:] }
    return [known.name: record]
  }

  public func lockZone(number: Int64) throws(ServerError) -> StoredZone? {
    let home = try connection.first(ZoneStatements.home, [.integer(number)]) {
      (name: $0.text(0), scope: $0.integer(1), owner: $0.text(2))
    }
    guard let home else { return nil }
    return try lockZone(
      named: home.name, in: try Self.database(scope: home.scope, owner: home.owner))
  }

  public func zones(
    in database: DatabaseKey, after name: String?, limit: Int
  ) throws(ServerError) -> [StoredZone] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let values: [SQLValue] = [.integer(number), .text(name ?? ""), .integer(Int64(limit))]
    return try connection.all(ZoneStatements.list, values) {
      StoredZone($0, named: $0.text(ZoneStatements.columnCount), in: database)
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
    let number = try makeNumber(of: DatabaseView(of: database))
    var zone = StoredZone(
      id: 0, database: database, name: name, change: 0, clientChangeToken: nil,
      encryptionScope: encryptionScope)
    if !zone.isDefault {
      try unlistDeleted(named: name, in: number)
      try countUp(number)
    }
    zone.incarnation = try newIncarnation(in: number)
    zone.id = try connection.insert(
      ZoneStatements.insert,
      [
        .integer(number), .text(name), .integer(encryptionScope.number),
        .integer(zone.incarnation),
      ])
    note(recentUsage: "", of: zone.id)
    if !zone.isDefault { try list(zone.id, in: number) }
    return zone
  }

  /// Returns the incarnation of a new zone. It depends only on the history of its database: on the
  /// epoch, which changes with every restore, and on the number of the change that creates the
  /// zone. The default zone has no such number, but it is never created again in an epoch.
  ///
  /// The result is negative, because the incarnation of a zone of an earlier release is its number,
  /// which is positive. Two changes of an epoch have the same result with a probability of 2⁻⁶³.
  private func newIncarnation(in number: Int64) throws(ServerError) -> Int64 {
    let origin = try connection.first(ZoneStatements.origin, [.integer(number)]) {
      (epoch: UInt64(bitPattern: $0.integer(0)), change: UInt64(bitPattern: $0.integer(1)))
    }
    guard let origin else { throw .fault("a database has no row") }
    return Int64(bitPattern: (origin.epoch &+ origin.change &* UInt64.mixStep).mixed) | .min
  }

  public func deleteZone(
    _ zone: StoredZone, reason: ZoneDeletionReason, at time: Int64
  ) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      ZoneStatements.delete, [.integer(zone.id)],
      expecting: .one(otherwise: "a zone to delete is not there"))
    if !zone.isDefault {
      try listDeleted(zone.id, in: number, reason: reason, at: time)
    }
    try forgetUsage(of: zone.id, in: number)
    try removeZoneKeys(of: zone)
    try removeSubscriptions(toZone: zone.id, in: number)
  }

  /// Returns the number of a zone's database. The zone must have been read in this transaction.
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
      zone(row, named: name, in: database, numbered: number)
    }
  }

  /// Decodes a row that begins with ``ZoneStatements/columns`` and three columns of the zone's
  /// state, which the session remembers.
  private func zone(
    _ row: any SQLRow, named name: String, in database: DatabaseKey, numbered number: Int64
  ) -> StoredZone {
    note(
      epoch: row.integer(ZoneStatements.columnCount),
      watchVersion: row.integer(ZoneStatements.columnCount + 1), of: number)
    let zone = StoredZone(row, named: name, in: database)
    note(recentUsage: row.text(ZoneStatements.columnCount + 2), of: zone.id)
    return zone
  }
}

extension StoredZone {
  /// - Parameter row: a row that begins with ``ZoneStatements/columns``.
  fileprivate init(_ row: any SQLRow, named name: String, in database: DatabaseKey) {
    self.init(
      id: row.integer(0), database: database, name: name, change: row.integer(1),
      clientChangeToken: row.optionalText(2),
      encryptionScope: EncryptionScope(number: row.integer(3)), newestExpired: row.integer(4),
      newestExpiredPassage: row.integer(5), hasHierarchies: row.integer(6) != 0,
      incarnation: row.integer(7))
  }
}

/// A zone, and what is read together with it for the save of one record.
struct ZoneRead {
  var zone: StoredZone
  /// The number of the zone's database.
  var number: Int64
  var epoch: Int64
  var watchVersion: Int64
  var recentUsage: String
  var schemaVersion: Int64
  /// Whether the session must read which changes in the database are watched, unless it has cached
  /// them.
  var mayBeWatched: Bool
  /// The latest state of the record, or nil if there is none.
  var record: StoredRecord?

  /// The number of columns from which a value is read.
  static let columnCount = recordColumn + RecordColumns.count
  private static let recordColumn = ZoneStatements.columnCount + 6

  /// - Parameter row: a row that begins with ``ZoneStatements/readColumns(watchVersion:)``.
  init(_ row: any SQLRow, named name: String, in database: DatabaseKey) {
    let first = ZoneStatements.columnCount
    zone = StoredZone(row, named: name, in: database)
    epoch = row.integer(first)
    watchVersion = row.integer(first + 1)
    recentUsage = row.text(first + 2)
    number = row.integer(first + 3)
    schemaVersion = row.integer(first + 4)
    mayBeWatched = row.integer(first + 5) != 0
    var reader = RecordReader()
    record =
      row.isNull(Self.recordColumn) ? nil : reader.record(row, from: Self.recordColumn)
  }
}

enum ZoneStatements {
  static let origin = SQLStatement("SELECT epoch, change FROM databases WHERE database = ?")
  private static let columns = """
    zones.zone, zones.change, zones.client_token, zones.encryption_scope, zones.newest_forgotten,
    zones.newest_passage_forgotten, zones.has_hierarchies, \(incarnation)
    """
  /// The number of columns.
  static let columnCount = 8
  /// NB: a zone from before layout 13 has no incarnation of its own. Devices identify it by its
  /// zone number.
  static let incarnation =
    "CASE zones.incarnation WHEN 0 THEN zones.zone ELSE zones.incarnation END"
  private static let state = "databases.epoch, databases.watch_version, zones.recent_usage"
  private static let named = """
    SELECT \(columns), \(state)
    FROM zones JOIN databases ON databases.database = zones.database
    WHERE zones.database = ? AND zones.name = ? AND zones.deleted = 0
    """
  static let find = SQLStatement(named)
  static let lock = SQLStatement { named + $0.forUpdate("zones") }
  /// Locks a zone, and reads everything that the save of one record needs: the zone, the number of
  /// its database, the version of the schema, and the latest state of the record.
  static let lockAndRead = SQLStatement {
    """
    SELECT \(readColumns(watchVersion: "?"))
    FROM databases JOIN zones ON zones.database = databases.database
      LEFT JOIN records ON records.database = zones.database AND records.zone = zones.zone
        AND records.name = ?
    WHERE databases.scope = ? AND databases.owner = ? AND zones.name = ? AND zones.deleted = 0
    """ + $0.forUpdate("zones")
  }
  /// The columns of a ``ZoneRead``.
  ///
  /// The column before those of the record is 0 if nothing in the database is watched, or if the
  /// version of what is watched equals the given one.
  ///
  /// NB: `LIMIT` prevents PostgreSQL from reading the watches and participants of the whole store,
  /// and `participation <> 0` repeats the condition of the index `listings_shared`.
  private static func readColumns(watchVersion: String) -> String {
    """
    \(columns), \(state), databases.database, (SELECT schema_version FROM store),
      CASE WHEN databases.watch_version = \(watchVersion) THEN 0
        WHEN (SELECT 1 FROM watches WHERE watches.database = databases.database LIMIT 1) = 1
          THEN 1
        WHEN EXISTS (
          SELECT 1 FROM zones AS own WHERE own.database = databases.database AND own.deleted = 0
            AND (SELECT 1 FROM listings WHERE listings.zone = own.zone AND participation <> 0
              AND listings.deleted = 0 LIMIT 1) = 1) THEN 1
        ELSE 0 END,
      \(RecordColumns.qualifiedList)
    """
  }
  /// Reads several zones, and the latest state of one record of each of them. The column after
  /// those of a ``ZoneRead`` is the position in the lists of values.
  ///
  /// NB: the zones are not locked. The transaction holds the advisory locks of the zones. If
  /// another transaction without these locks changes a zone, one of the two fails.
  ///
  /// NB: with `LIMIT`, PostgreSQL makes a plan for each table alone, in which all values are known.
  /// So it uses the whole key of an index.
  static let readTogether = SQLStatement(
    """
    SELECT \(readColumns(watchVersion: "wanted.known")), wanted.place
    FROM unnest(
        CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BYTEA[]),
        CAST(? AS BYTEA[]), CAST(? AS BYTEA[]))
        AS wanted (place, known, scope, owner, zone_name, record_name)
      CROSS JOIN LATERAL (
        SELECT * FROM databases
        WHERE databases.scope = wanted.scope AND databases.owner = wanted.owner LIMIT 1
      ) AS databases
      CROSS JOIN LATERAL (
        SELECT * FROM zones
        WHERE zones.database = databases.database AND zones.name = wanted.zone_name
          AND zones.deleted = 0 LIMIT 1
      ) AS zones
      LEFT JOIN LATERAL (
        SELECT * FROM records
        WHERE records.database = zones.database AND records.zone = zones.zone
          AND records.name = wanted.record_name LIMIT 1
      ) AS records ON TRUE
    """)
  static let home = SQLStatement(
    """
    SELECT zones.name, databases.scope, databases.owner
    FROM zones JOIN databases ON databases.database = zones.database
    WHERE zones.zone = ? AND zones.deleted = 0
    """)
  static let findID = SQLStatement(
    """
    SELECT \(columns), name FROM zones WHERE database = ? AND zone = ? AND deleted = 0
    """)
  static let list = SQLStatement(
    """
    SELECT \(columns), name FROM zones
    WHERE database = ? AND name > ? AND deleted = 0 ORDER BY name LIMIT ?
    """)
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM zones WHERE database = ? AND deleted = 0")
  static let insert = SQLStatement(
    inserting: """
      INSERT INTO zones (database, name, change, deleted, encryption_scope, incarnation)
      VALUES (?, ?, 0, 0, ?, ?)
      """, key: "zone")
  /// Deletes a zone. A zone that never contained a record has no rows to purge.
  static let delete = SQLStatement(
    """
    UPDATE zones
    SET deleted = CASE change WHEN 0 THEN 2 ELSE 1 END, client_token = NULL
    WHERE zone = ? AND deleted = 0
    """)
}
