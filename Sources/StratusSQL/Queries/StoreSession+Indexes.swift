public import StratusDomain
import StratusWire

extension StoreSession {
  public func entries(
    in range: EntryRange, of database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [FoundEntry] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let (statement, bounds) = EntryStatements.reading(range, connection.dialect)
    var values: [SQLValue] = [.integer(number), .integer(range.index)]
    values += bounds
    values.append(.integer(Int64(limit)))
    var result: [FoundEntry] = []
    // NB: the array does not reserve space for `limit` entries, because `limit` may be large. A
    // page of a query seldom has more than 64 entries.
    result.reserveCapacity(min(limit, 64))
    try connection.run(statement, values) { (row) throws(ServerError) in
      result.append(
        FoundEntry(value: row.bytes(0), zone: row.integer(1), record: row.integer(2)))
      return true
    }
    return result
  }

  public func recordsToIndex(
    ofType recordType: String, after cursor: IndexBuildCursor?, limit: Int
  ) throws(ServerError) -> IndexBuildStep {
    var step = IndexBuildStep(items: [], next: nil)
    guard limit > 0 else {
      step.next = cursor
      return step
    }
    let values: [SQLValue] = [
      .integer(cursor?.database ?? .min), .integer(cursor?.zone ?? .min),
      .text(cursor?.recordName ?? ""), .integer(Int64(limit)),
    ]
    var reader = RecordReader()
    var last = cursor
    var looked = 0
    var sizeBytes = 0
    var latest: (zone: Int64, change: Int64)?
    try connection.run(BuildStatements.walk, values) { (row) throws(ServerError) in
      let database = row.integer(RecordColumns.count)
      let zone = row.integer(RecordColumns.count + 1)
      looked += 1
      last = IndexBuildCursor(database: database, zone: zone, recordName: row.text(0))
      let isLive = row.integer(3) == 0 && row.integer(RecordColumns.count + 2) == 0
      if isLive, row.text(1, ifNot: recordType).utf8.elementsEqual(recordType.utf8) {
        let record = reader.record(row)
        sizeBytes += record.fields.text.count
        step.items.append(.init(database: database, zone: zone, record: record))
        if latest?.zone != zone {
          latest = (zone, row.integer(RecordColumns.count + 3))
          step.newestChanges[zone] = latest?.change
        }
      }
      return sizeBytes < SQLLimits.stepSizeBytesMax
    }
    if looked == limit || sizeBytes >= SQLLimits.stepSizeBytesMax { step.next = last }
    return step
  }

  public func changesToIndex(
    in zone: Int64, of database: Int64, since change: Int64, limit: Int
  ) throws(ServerError) -> IndexBuildChanges? {
    let newest = try connection.first(BuildStatements.newest, [.integer(zone)]) { row in
      row.integer(1) == 0 ? row.integer(0) : nil
    }
    guard case .some(.some(let newest)) = newest else { return nil }
    var changes = IndexBuildChanges(records: [], change: newest, hasMore: false)
    if newest == change { return changes }
    var reader = RecordReader()
    var sizeBytes = 0
    try connection.run(
      BuildStatements.changes,
      [.integer(database), .integer(zone), .integer(change), .integer(Int64(limit))]
    ) { (row) throws(ServerError) in
      let record = reader.record(row)
      sizeBytes += record.fields.text.count
      changes.records.append(record)
      return sizeBytes < SQLLimits.stepSizeBytesMax
    }
    if changes.records.count >= limit || sizeBytes >= SQLLimits.stepSizeBytesMax {
      changes.change = changes.records.last?.change ?? change
      changes.hasMore = true
    }
    return changes
  }

  public func indexBuilds(ofType recordType: String) throws(ServerError) -> [IndexBuild] {
    try connection.all(IndexStatements.builds, [.text(recordType)]) { row in
      IndexBuild(
        index: row.integer(0),
        cursor: row.isNull(1)
          ? nil
          : IndexBuildCursor(
            database: row.integer(1), zone: row.integer(2), recordName: row.text(3)))
    }
  }

  public func addIndex(
    recordType: String, columns: [IndexColumn]
  ) throws(ServerError) -> QueryIndex {
    let values: [SQLValue] = [.text(recordType), .text(IndexColumnsText.text(of: columns))]
    let id = try connection.insert(IndexStatements.insert, values)
    try advanceSchema()
    return QueryIndex(
      id: id, recordType: recordType, columns: columns, isReady: false)
  }

  public func add(
    _ entries: [IndexEntry], of zone: Int64, in database: Int64
  ) throws(ServerError) {
    let dialect = connection.dialect
    let sorted = entries.sorted(by: IndexEntry.lies(_:before:))
    if dialect.lists != nil {
      return try EntryStatements.insertAll(
        sorted.map { $0.values(of: zone, in: database, dialect) }, on: connection)
    }
    try queue(
      sorted[...], one: EntryStatements.insert, several: EntryStatements.insertValues, of: zone,
      in: database)
  }

  /// Queues statements that insert or delete entries. Adjacent entries of one record in one index
  /// share a statement if the engine has no network.
  ///
  /// - Parameters:
  ///   - sorted: the entries in the order of the table's key.
  ///   - one: the statement for one entry.
  ///   - several: the statements for each of ``EntryStatements/valueCounts``.
  func queue(
    _ sorted: ArraySlice<IndexEntry>, one: SQLStatement, several: [SQLStatement], of zone: Int64,
    in database: Int64
  ) throws(ServerError) {
    let dialect = connection.dialect
    let counts = dialect.combinesStatements ? [] : EntryStatements.valueCounts
    var rest = sorted
    while let first = rest.first {
      let alike = rest.prefix(counts.first ?? 0).prefix {
        $0.index == first.index && $0.record == first.record
      }
      guard let place = counts.firstIndex(where: { $0 <= alike.count }) else {
        try connection.queue(one, first.values(of: zone, in: database, dialect))
        rest = rest.dropFirst()
        continue
      }
      var values: [SQLValue] = [
        .integer(database), .integer(first.index), .integer(zone), .integer(first.record),
      ]
      values.reserveCapacity(values.count + counts[place])
      for entry in alike.prefix(counts[place]) { values.append(.bytes(entry.value)) }
      try connection.queue(several[place], values)
      rest = rest.dropFirst(counts[place])
    }
  }

  public func setBuildCursor(
    _ cursor: IndexBuildCursor?, of index: Int64
  ) throws(ServerError) {
    var values: [SQLValue] = [.flag(cursor == nil), .null, .null, .null, .integer(index)]
    if let cursor {
      values[1] = .integer(cursor.database)
      values[2] = .integer(cursor.zone)
      values[3] = .text(cursor.recordName)
    }
    try connection.queue(
      IndexStatements.setCursor, values,
      expecting: .one(otherwise: "an index to build is not there")
    )
    // NB: progress alone does not advance the version of the schema. Otherwise every session would
    // read the schema again after each step.
    if cursor == nil { try advanceSchema() }
  }

  public func indexUses() throws(ServerError) -> [Int64: Int64] {
    var uses: [Int64: Int64] = [:]
    try connection.run(DropStatements.uses, []) { (row) throws(ServerError) in
      uses[row.integer(0)] = row.integer(1)
      return true
    }
    return uses
  }

  public func hasDroppedIndexes() throws(ServerError) -> Bool {
    try connection.first(DropStatements.dropped, [], { $0.integer(0) }) != nil
  }

  public func noteUse(of index: Int64, day: Int64) throws(ServerError) {
    try connection.execute(DropStatements.note, [.integer(index), .integer(day)])
  }

  public func dropIndex(_ index: Int64) throws(ServerError) {
    if try connection.execute(DropStatements.drop, [.integer(index)]) == 1 { try advanceSchema() }
  }

  public func cancelIndexBuild(_ index: Int64) throws(ServerError) {
    if try connection.execute(DropStatements.cancel, [.integer(index)]) == 1 {
      try advanceSchema()
    }
  }

  public func indexProgress(
    of index: Int64, limit: Int64
  ) throws(ServerError) -> (done: Int64, total: Int64)? {
    let found = try connection.first(BuildStatements.position, [.integer(index)]) { row in
      [SQLValue.integer(row.integer(0)), .integer(row.integer(1)), .text(row.text(2))]
    }
    guard let position = found else { return nil }
    let limit = SQLValue.integer(limit)
    let done = try connection.first(BuildStatements.countDone, position + [limit]) {
      $0.integer(0)
    }
    let total = try connection.first(BuildStatements.countAll, [limit]) { $0.integer(0) }
    return (done ?? 0, total ?? 0)
  }

  public func removeDroppedEntries(limit: Int) throws(ServerError) {
    let found = try connection.first(DropStatements.dropped, []) {
      (index: $0.integer(0), database: $0.integer(1))
    }
    guard let found else { return }
    let index = found.index
    var database = found.database
    for _ in 0..<max(1, limit) {
      let removed = try connection.execute(
        DropStatements.remove,
        [
          .integer(database), .integer(index), .integer(database), .integer(index),
          .integer(Int64(limit)),
        ])
      if removed > 0 { break }
      let next = try connection.first(DropStatements.nextDatabase, [.integer(database)]) {
        $0.integer(0)
      }
      guard let next else {
        try connection.execute(DropStatements.forget, [.integer(index)])
        try connection.execute(DropStatements.forgetUse, [.integer(index)])
        return
      }
      database = next
    }
    try connection.execute(DropStatements.setCursor, [.integer(database), .integer(index)])
  }

  /// Returns all indexes in the order of their numbers. Dropped indexes are left out.
  func readIndexes() throws(ServerError) -> [QueryIndex] {
    var result: [QueryIndex] = []
    try connection.run(IndexStatements.list, []) { (row) throws(ServerError) in
      result.append(
        QueryIndex(
          id: row.integer(0), recordType: row.text(1),
          columns: try IndexColumnsText.columns(of: row.text(2)), isReady: row.integer(3) != 0))
      return true
    }
    return result
  }
}

enum BuildStatements {
  /// NB: the statement returns rows of every type, including rows of deleted zones, so that `LIMIT`
  /// bounds the number of rows read.
  static let walk = SQLStatement(
    bounding: """
      SELECT \(RecordColumns.list), database, zone, gone, newest
      FROM records JOIN (
        SELECT zone AS home, deleted AS gone, change AS newest FROM zones
      ) AS homes ON home = zone
      WHERE (database, zone, name) > (?, ?, ?)
      ORDER BY database, zone, name LIMIT ?
      """, by: "fields")
  /// The position that the build of an index has reached, or else a position before all records.
  static let position = SQLStatement(
    """
    SELECT COALESCE(at_database, -1), COALESCE(at_zone, -1), COALESCE(at_name, '')
    FROM indexes WHERE index_id = ? AND ready = 0
    """)
  static let countDone = SQLStatement(
    """
    SELECT COUNT(*) FROM (
      SELECT 1 FROM records WHERE (database, zone, name) <= (?, ?, ?) LIMIT ?) AS passed
    """)
  static let countAll = SQLStatement(
    "SELECT COUNT(*) FROM (SELECT 1 FROM records LIMIT ?) AS present")
  static let newest = SQLStatement("SELECT change, deleted FROM zones WHERE zone = ?")
  static let changes = SQLStatement(
    bounding: """
      SELECT \(RecordColumns.list) FROM records
      WHERE database = ? AND zone = ? AND change > ? ORDER BY change LIMIT ?
      """, by: "fields")
}

private enum IndexStatements {
  static let list = SQLStatement(
    """
    SELECT index_id, record_type, columns, ready FROM indexes WHERE ready <> 2 ORDER BY index_id
    """)
  static let builds = SQLStatement(
    """
    SELECT index_id, at_database, at_zone, at_name FROM indexes
    WHERE record_type = ? AND ready = 0 ORDER BY index_id
    """)
  static let insert = SQLStatement(
    inserting: "INSERT INTO indexes (record_type, columns, ready) VALUES (?, ?, 0)",
    key: "index_id")
  static let setCursor = SQLStatement(
    """
    UPDATE indexes SET ready = ?, at_database = ?, at_zone = ?, at_name = ? WHERE index_id = ?
    """)
}

/// NB: in the row of a dropped index, `ready` is 2, and `at_database` is the database whose entries
/// are being removed.
private enum DropStatements {
  static let uses = SQLStatement("SELECT index_id, day FROM index_uses")
  static let note = SQLStatement(
    """
    INSERT INTO index_uses (index_id, day) VALUES (?, ?)
    ON CONFLICT (index_id) DO UPDATE SET day = excluded.day
    """)
  static let drop = SQLStatement(
    "UPDATE indexes SET ready = 2, at_database = NULL WHERE index_id = ? AND ready = 1")
  static let cancel = SQLStatement(
    "UPDATE indexes SET ready = 2, at_database = NULL WHERE index_id = ? AND ready = 0")
  static let dropped = SQLStatement(
    """
    SELECT index_id, CASE WHEN at_database IS NULL THEN 0 ELSE at_database END
    FROM indexes WHERE ready = 2 ORDER BY index_id LIMIT 1
    """)
  static let remove = SQLStatement(
    """
    DELETE FROM entries WHERE database = ? AND index_id = ? AND (value, zone, record) IN (
      SELECT value, zone, record FROM entries WHERE database = ? AND index_id = ? LIMIT ?)
    """)
  static let nextDatabase = SQLStatement(
    "SELECT database FROM databases WHERE database > ? ORDER BY database LIMIT 1")
  static let setCursor = SQLStatement("UPDATE indexes SET at_database = ? WHERE index_id = ?")
  static let forget = SQLStatement("DELETE FROM indexes WHERE index_id = ?")
  static let forgetUse = SQLStatement("DELETE FROM index_uses WHERE index_id = ?")
}
