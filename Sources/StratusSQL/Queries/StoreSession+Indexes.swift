public import StratusDomain
import StratusWire

extension StoreSession {
  public func entries(
    in range: EntryRange, of database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [FoundEntry] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let (statement, bounds) = EntryStatements.reading(range)
    var values: [SQLValue] = [.integer(number), .integer(range.index)]
    values += bounds
    values.append(.integer(Int64(limit)))
    var result: [FoundEntry] = []
    // NB: not `limit`, which a caller may set high; a page of a query is seldom longer than this.
    result.reserveCapacity(min(limit, 64))
    try connection.run(statement, values) { (row) throws(ServerError) in
      result.append(
        FoundEntry(value: row.bytes(0), zone: row.integer(1), record: row.integer(2)))
      return true
    }
    return result
  }

  public func recordsToIndex(
    ofType recordType: String, after place: IndexBuildPlace?, limit: Int
  ) throws(ServerError) -> IndexBuildStep {
    var step = IndexBuildStep(items: [], next: nil)
    guard limit > 0 else {
      step.next = place
      return step
    }
    let values: [SQLValue] = [
      .integer(place?.database ?? .min), .integer(place?.zone ?? .min),
      .text(place?.recordName ?? ""), .integer(Int64(limit)),
    ]
    var reader = RecordReader()
    var last = place
    var looked = 0
    var sizeBytes = 0
    try connection.run(BuildStatements.walk, values) { (row) throws(ServerError) in
      let database = row.integer(RecordColumns.count)
      let zone = row.integer(RecordColumns.count + 1)
      let place = IndexBuildPlace(database: database, zone: zone, recordName: row.text(0))
      looked += 1
      last = place
      let isLive = row.integer(3) == 0 && row.integer(RecordColumns.count + 2) == 0
      if isLive, row.text(1, ifNot: recordType).utf8.elementsEqual(recordType.utf8) {
        let record = reader.record(row)
        sizeBytes += record.fields.text.count
        step.items.append(.init(database: database, zone: zone, record: record))
      }
      return sizeBytes < SQLLimits.stepSizeBytesMax
    }
    if looked == limit || sizeBytes >= SQLLimits.stepSizeBytesMax { step.next = last }
    return step
  }

  public func addIndex(
    recordType: String, columns: [IndexColumn]
  ) throws(ServerError) -> QueryIndex {
    let values: [SQLValue] = [.text(recordType), .text(IndexColumnsText.text(of: columns))]
    let id = try connection.first(IndexStatements.insert, values) { $0.integer(0) }
    guard let id else { throw .fault("an index was made without a number") }
    try advanceSchema()
    return QueryIndex(
      id: id, recordType: recordType, columns: columns, buildPlace: nil, isReady: false)
  }

  public func add(
    _ entries: [IndexEntry], of zone: Int64, in database: Int64
  ) throws(ServerError) {
    for entry in entries.sorted(by: IndexEntry.lies(_:before:)) {
      try connection.execute(EntryStatements.insert, entry.values(of: zone, in: database))
    }
  }

  public func setBuildPlace(
    _ place: IndexBuildPlace?, of index: Int64
  ) throws(ServerError) {
    var values: [SQLValue] = [.flag(place == nil), .null, .null, .null, .integer(index)]
    if let place {
      values[1] = .integer(place.database)
      values[2] = .integer(place.zone)
      values[3] = .text(place.recordName)
    }
    let changed = try connection.execute(IndexStatements.setPlace, values)
    if changed != 1 { throw .fault("an index to build is not there") }
    try advanceSchema()
  }

  /// All indexes, in order of their numbers.
  func readIndexes() throws(ServerError) -> [QueryIndex] {
    var result: [QueryIndex] = []
    try connection.run(IndexStatements.list, []) { (row) throws(ServerError) in
      var place: IndexBuildPlace?
      if !row.isNull(4) {
        place = IndexBuildPlace(
          database: row.integer(4), zone: row.integer(5), recordName: row.text(6))
      }
      result.append(
        QueryIndex(
          id: row.integer(0), recordType: row.text(1),
          columns: try IndexColumnsText.columns(of: row.text(2)), buildPlace: place,
          isReady: row.integer(3) != 0))
      return true
    }
    return result
  }
}

private enum BuildStatements {
  /// NB: rows of every type and of deleted zones come back, so that `LIMIT` bounds those looked at.
  /// Their fields are left out: SQLite does not read what no column asks for.
  static let walk = SQLStatement(
    """
    SELECT \(RecordColumns.list), database, zone,
      (SELECT zones.deleted FROM zones WHERE zones.zone = records.zone)
    FROM records WHERE (database, zone, name) > (?, ?, ?)
    ORDER BY database, zone, name LIMIT ?
    """)
}

private enum IndexStatements {
  static let list = SQLStatement(
    """
    SELECT index_id, record_type, columns, ready, at_database, at_zone, at_name
    FROM indexes ORDER BY index_id
    """)
  static let insert = SQLStatement(
    "INSERT INTO indexes (record_type, columns, ready) VALUES (?, ?, 0) RETURNING index_id")
  static let setPlace = SQLStatement(
    """
    UPDATE indexes SET ready = ?, at_database = ?, at_zone = ?, at_name = ? WHERE index_id = ?
    """)
}
