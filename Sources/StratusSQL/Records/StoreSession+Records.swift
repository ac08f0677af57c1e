public import StratusDomain
import StratusWire

extension StoreSession {
  public func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    try records(named: names, in: zone, RecordStatements.find, RecordStatements.findSeveral)
  }

  public func latestStates(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    if let known = takeReadAhead(of: names, in: zone) { return known }
    return try records(
      named: names, in: zone, RecordStatements.latest, RecordStatements.latestOfSeveral)
  }

  /// - Parameters:
  ///   - one: the statement that finds one name.
  ///   - several: the statement that finds several names.
  private func records(
    named names: [String], in zone: StoredZone, _ one: SQLStatement, _ several: SQLStatement
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [:] }
    var result: [ExactName: StoredRecord] = [:]
    var reader = RecordReader()
    let key: [SQLValue] = [.integer(number), .integer(zone.id)]
    if names.count == 1 {
      try connection.run(one, key + [.text(names[0])]) {
        (row) throws(ServerError) in
        let record = reader.record(row)
        result[ExactName(record.name)] = record
        return false
      }
      return result
    }
    try connection.findSeveral(several, key, names) { row in
      let record = reader.record(row)
      result[ExactName(record.name)] = record
    }
    return result
  }

  public func records(
    numbered numbers: [Int64], in zone: StoredZone
  ) throws(ServerError) -> [Int64: StoredRecord] {
    guard !numbers.isEmpty, let database = try number(of: zone.database) else { return [:] }
    var result: [Int64: StoredRecord] = [:]
    result.reserveCapacity(numbers.count)
    var reader = RecordReader()
    let key: [SQLValue] = [.integer(database), .integer(zone.id)]
    let values = numbers.map { SQLValue.integer($0) }
    try connection.findSeveral(RecordStatements.findNumbers, key, values) { row in
      let record = reader.record(row)
      result[record.number] = record
    }
    return result
  }

  public func apply(_ changes: ChangeSet) throws(ServerError) {
    readAhead = nil
    let zone = changes.zone
    if changes.records.isEmpty, changes.passages.isEmpty {
      guard let token = changes.clientChangeToken else { return }
      try connection.queue(
        RecordStatements.setToken, [.text(token), .integer(zone.id)], expecting: Self.followsOn)
      return
    }
    let isAhead = isAheadValid
    let number = try requiredNumber(of: zone)
    // NB: the versions are stored first, because they hold files that the changes release.
    if !changes.records.isEmpty, try keepsVersions() {
      try keepVersions(replacedBy: changes, in: number)
    }
    for record in changes.records { try write(record, in: zone.id, of: number) }
    recordNumbers.forgetDrawn()
    try add(passagesOf: changes, in: number)
    if let watched = changes.watched { try add(watched) }
    try remove(changes.rows.removed, of: zone.id, in: number)
    try add(changes.rows.added, of: zone.id, in: number)
    let usage = try count(changes.rows.usage, of: zone.id, in: number)
    if let saves = connection.saves {
      let advance = CollectedSaves.Zone(
        database: number, zone: zone.id, base: zone.change, newest: changes.newestChange,
        token: changes.clientChangeToken, addedBytes: usage.addedBytes, recentUsage: usage.recent,
        isListed: !zone.isDefault)
      connection.writes += 1
      if !saves.advance(advance) {
        // NB: the zone does not follow on, so the statement will fail.
        try connection.sendSaves()
        _ = saves.advance(advance)
      }
      if isAhead { noteAhead(changes, recentUsage: usage.recent) }
      return
    }
    let token = SQLValue.optional(changes.clientChangeToken)
    let newest = SQLValue.integer(changes.newestChange)
    let values: [SQLValue] = [
      newest, token, .integer(usage.addedBytes), .text(usage.recent), .integer(zone.id),
      .integer(zone.change),
    ]
    try connection.queue(RecordStatements.advance, values, expecting: Self.followsOn)
    if !zone.isDefault { try relist(zone.id, in: number) }
  }

  private func write(
    _ record: StoredRecord, in zone: Int64, of database: Int64
  ) throws(ServerError) {
    let number = record.number == 0 ? try drawRecordNumbers(1) : record.number
    let values = values(of: record, in: zone, of: database, number: number)
    if record.number == 0 {
      try connection.queue(RecordStatements.upsert, values)
    } else if let saves = connection.saves {
      if saves.isFull || saves.contains(record.name, in: zone) { try connection.sendSaves() }
      connection.writes += 1
      let sizeBytes = record.fields.text.count
      if recordNumbers.isNew(number) {
        saves.insert(record.name, in: zone, values, sizeBytes: sizeBytes)
      } else {
        saves.update(record.name, in: zone, Array(values.dropFirst(3)), sizeBytes: sizeBytes)
      }
    } else if recordNumbers.isNew(number) {
      try connection.queue(RecordStatements.replace, values)
    } else {
      try connection.queue(
        RecordStatements.update, Array(values.dropFirst(3)), expecting: Self.isThere)
    }
  }

  private static let followsOn = SQLExpectation.one(
    otherwise: "a change set does not follow on from its zone's newest change")
  private static let isThere = SQLExpectation.one(
    otherwise: "a record to change is not there")

  /// Returns the values of the record's key, followed by the values of ``RecordColumns``.
  func values(
    of record: StoredRecord, in zone: Int64, of database: Int64, number: Int64
  ) -> [SQLValue] {
    [
      .integer(database), .integer(zone), .text(record.name), .text(record.type),
      .integer(record.change), .flag(record.isDeleted),
      .integer(record.created.timestamp), .text(record.created.userRecordName),
      .text(record.created.deviceID),
      .integer(record.modified.timestamp), .text(record.modified.userRecordName),
      .text(record.modified.deviceID),
      record.isDeleted ? .null : .optional(record.parentRecordName),
      .bytes(record.isDeleted ? [] : record.fields.text),
      .integer(RecordFlags.of(record)), .integer(record.revision), .integer(number),
    ]
  }
}

enum RecordStatements {
  private static let named =
    "SELECT \(RecordColumns.list) FROM records WHERE database = ? AND zone = ? AND name = ?"
  static let find = SQLStatement(named + " AND deleted = 0")
  static let latest = SQLStatement(named)
  static let findSeveral = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND deleted = 0
      AND name IN (\(SQLStatement.severalNames))
    """)
  static let latestOfSeveral = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND name IN (\(SQLStatement.severalNames))
    """)
  /// NB: the plus signs prevent SQLite from using an index to scan the whole zone.
  static let findNumbers = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE +database = ? AND +zone = ? AND deleted = 0
      AND record IN (\(SQLStatement.severalNames))
    """)
  private static let insert =
    into + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)\n" + onConflict
  private static let into = """
    INSERT INTO records (
      database, zone, name, type, change, deleted, created_at, created_by, created_device,
      modified_at, modified_by, modified_device, parent, fields, assets, revision, record)

    """
  private static let onConflict = """
    ON CONFLICT (database, zone, name) DO UPDATE SET
      type = excluded.type, change = excluded.change, deleted = excluded.deleted,
      created_at = excluded.created_at, created_by = excluded.created_by,
      created_device = excluded.created_device, modified_at = excluded.modified_at,
      modified_by = excluded.modified_by, modified_device = excluded.modified_device,
      parent = excluded.parent, fields = excluded.fields, assets = excluded.assets,
      revision = excluded.revision
    """
  /// Inserts a record. A row with the same name is replaced, but keeps its record number.
  static let upsert = SQLStatement(insert)
  /// Inserts a record. A tombstone with the same name is replaced, and gets the new record number.
  static let replace = SQLStatement(insert + ", record = excluded.record")
  /// Does the work of ``replace`` for several records, whose names and numbers differ.
  static let replaceSeveral = SQLStatement(
    into + "SELECT * FROM unnest(\(lists(insertedColumns))) AS sent\n" + onConflict
      + ", record = excluded.record")
  /// The types of the values of ``replace``.
  static let insertedColumns: [ListedColumn] =
    [.integer, .integer, .text] + updatedColumns
  /// The types of the values of ``update``.
  static let updatedColumns: [ListedColumn] = [
    .text, .integer, .integer, .integer, .text, .text, .integer, .text, .text, .text, .text,
    .integer, .integer, .integer,
  ]
  /// The placeholders of lists.
  static func lists(_ columns: [ListedColumn]) -> String {
    columns.map { $0 == .integer ? "CAST(? AS BIGINT[])" : "CAST(? AS BYTEA[])" }
      .joined(separator: ", ")
  }
  static let update = SQLStatement(
    """
    UPDATE records SET
      type = ?, change = ?, deleted = ?, created_at = ?, created_by = ?, created_device = ?,
      modified_at = ?, modified_by = ?, modified_device = ?, parent = ?, fields = ?, assets = ?,
      revision = ?
    WHERE record = ?
    """)
  /// Does the work of ``update`` for several records. Its last value is their number.
  static let updateSeveral = SQLStatement(
    """
    WITH changed AS (
      UPDATE records SET
        type = sent.type, change = sent.change, deleted = sent.deleted,
        created_at = sent.created_at, created_by = sent.created_by,
        created_device = sent.created_device, modified_at = sent.modified_at,
        modified_by = sent.modified_by, modified_device = sent.modified_device,
        parent = sent.parent, fields = sent.fields, assets = sent.assets,
        revision = sent.revision
      FROM unnest(\(lists(updatedColumns))) AS sent (
        type, change, deleted, created_at, created_by, created_device, modified_at, modified_by,
        modified_device, parent, fields, assets, revision, record)
      WHERE records.record = sent.record RETURNING 1)
    SELECT 1 / CASE COUNT(*) WHEN ? THEN 1 ELSE 0 END FROM changed
    """)
  static let setToken = SQLStatement(
    "UPDATE zones SET client_token = ? WHERE zone = ? AND deleted = 0")
  /// NB: the condition contains the change number on which the change set is based. A change set
  /// for another state of the zone is refused, so that no change number is used twice.
  static let advance = SQLStatement(advanceText)
  private static let advanceText = """
    UPDATE zones SET change = ?, client_token = COALESCE(?, client_token),
      used_bytes = used_bytes + ?, recent_usage = ?
    WHERE zone = ? AND change = ? AND deleted = 0
    """
  /// Advances a zone, and moves it to the end of its database's history.
  ///
  /// NB: the last statement changes a row only if each of the two others has changed one. Its
  /// number comes from the row that the second one returns, because no part of the statement sees
  /// the rows that the other parts write.
  static let advanceAndRelist = SQLStatement(
    """
    UPDATE listings SET listed = counted.change FROM counted, advanced
    WHERE listings.database = ? AND listings.zone = ?
    """,
    after: [
      "advanced AS (\(advanceText) RETURNING zone)",
      """
      counted AS (
        UPDATE databases SET change = change + 1 WHERE database = ? RETURNING change)
      """,
    ])
  /// Does the work of ``advanceAndRelist`` for several zones, some of which may be in no history.
  ///
  /// A zone in a history has a place from 1 to the number of such zones of its database. The place
  /// is 0 for the other zones. The lists after the places are those of the databases and of these
  /// numbers. The last two values are the numbers of all zones and of all zones with a place.
  ///
  /// NB: the listings get different numbers, in the order of the places. A client reads a history
  /// from a number on, so two zones with one number could lose one of them between two pages.
  static let advanceSeveral = SQLStatement(
    """
    WITH sent AS MATERIALIZED (
      SELECT * FROM unnest(\(lists(advancedColumns + [.integer, .integer]))) AS sent (
        newest, token, added, recent, zone, base, database, place)),
    advanced AS (
      UPDATE zones SET change = sent.newest, client_token = COALESCE(sent.token, client_token),
        used_bytes = used_bytes + sent.added, recent_usage = sent.recent
      FROM sent
      WHERE zones.zone = sent.zone AND zones.change = sent.base AND zones.deleted = 0
      RETURNING 1),
    counted AS (
      UPDATE databases SET change = databases.change + raised.steps
      FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS raised (database, steps)
      WHERE databases.database = raised.database
      RETURNING databases.database, databases.change - raised.steps AS before),
    listed AS (
      UPDATE listings SET listed = counted.before + sent.place
      FROM sent JOIN counted ON counted.database = sent.database
      WHERE sent.place > 0 AND listings.database = sent.database AND listings.zone = sent.zone
      RETURNING 1)
    SELECT 1 / CASE WHEN (SELECT COUNT(*) FROM advanced) = ?
      AND (SELECT COUNT(*) FROM listed) = ? THEN 1 ELSE 0 END
    """)
  /// The types of the values of ``advance``.
  static let advancedColumns: [ListedColumn] = [
    .integer, .text, .integer, .text, .integer, .integer,
  ]
}
