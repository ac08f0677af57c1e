import StratusDomain

/// Statements that read and write rows of `entries`. The primary key of `entries` contains all
/// columns.
enum EntryStatements {
  static let insert = inserting("VALUES (?, ?, ?, ?, ?)")
  private static let insertTwo = inserting("VALUES (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)")
  private static let insertSeveral = inserting(
    "SELECT * FROM unnest(\(RecordStatements.lists(columns))) AS sent")
  /// The types of the columns of `entries`.
  static let columns: [ListedColumn] = [.integer, .integer, .text, .integer, .integer]

  private static func inserting(_ rows: String) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO entries (database, index_id, value, zone, record) \(rows)
      ON CONFLICT (database, index_id, value, zone, record) DO NOTHING
      """)
  }

  /// Queues one statement that inserts all entries.
  ///
  /// - Parameter entries: the values of ``insert`` for each entry.
  static func insertAll(
    _ entries: [[SQLValue]], on connection: any SQLConnection
  ) throws(ServerError) {
    switch (entries.count, connection.dialect.lists) {
    case (0, _): return
    case (2, _?): try connection.queue(insertTwo, entries[0] + entries[1])
    case (3..., let lists?):
      try connection.queue(insertSeveral, lists.columns(of: entries, columns))
    default: for values in entries { try connection.queue(insert, values) }
    }
  }

  /// Deletes several entries. The values are a list for each column.
  static let deleteSeveral = SQLStatement(
    """
    DELETE FROM entries USING unnest(\(RecordStatements.lists(columns)))
      AS sent (database, index_id, value, zone, record)
    WHERE entries.database = sent.database AND entries.index_id = sent.index_id
      AND entries.value = sent.value AND entries.zone = sent.zone
      AND entries.record = sent.record
    """)

  static let delete = SQLStatement(
    """
    DELETE FROM entries
    WHERE database = ? AND index_id = ? AND value = ? AND zone = ? AND record = ?
    """)

  /// The numbers of values in the statements for several entries of one record in one index, from
  /// the greatest to the smallest.
  static let valueCounts = [64, 16, 4]
  /// Statements that insert several entries of one record in one index, for each of
  /// ``valueCounts``. Each value is bound alone, and the other columns are bound once. One long
  /// statement takes much less time than a statement for each entry.
  ///
  /// NB: only SQLite has numbered placeholders of this form.
  static let insertValues = valueCounts.map { count in
    let rows = (0..<count).map { "(?1, ?2, ?\($0 + 5), ?3, ?4)" }.joined(separator: ", ")
    return SQLStatement(
      """
      INSERT INTO entries (database, index_id, value, zone, record) VALUES \(rows)
      ON CONFLICT (database, index_id, value, zone, record) DO NOTHING
      """)
  }
  /// Statements that delete several entries of one record in one index, for each of
  /// ``valueCounts``.
  static let deleteValues = valueCounts.map { count in
    let values = (0..<count).map { "?\($0 + 5)" }.joined(separator: ", ")
    return SQLStatement(
      """
      DELETE FROM entries
      WHERE database = ?1 AND index_id = ?2 AND zone = ?3 AND record = ?4 AND value IN (\(values))
      """)
  }

  /// Returns the statement that reads a range of entries. Also returns the values of the statement,
  /// except the database and the index.
  ///
  /// A bound that is only a value becomes the position before all entries of that value. One row
  /// comparison can then express both the bound at which reading begins and the position after
  /// which a later read continues.
  static func reading(
    _ range: EntryRange, _ dialect: SQLDialect
  ) -> (SQLStatement, [SQLValue]) {
    let range = range.cut(to: dialect.entryBytesMax)
    if range.isReversed {
      var start = range.upper.map(EntryPosition.init(before:))
      if let after = range.after { start = start.map { first(of: $0, after) } ?? after }
      guard let start else { return (backwardFromEnd, [.bytes(range.lower)]) }
      return (backward, start.values + [.bytes(range.lower)])
    }
    var start = EntryPosition(before: range.lower)
    if let after = range.after { start = last(of: start, after) }
    guard let upper = range.upper else { return (forwardToEnd, start.values) }
    return (forward, start.values + [.bytes(upper)])
  }

  private static func first(of one: EntryPosition, _ other: EntryPosition) -> EntryPosition {
    one.lies(before: other) ? one : other
  }

  private static func last(of one: EntryPosition, _ other: EntryPosition) -> EntryPosition {
    one.lies(before: other) ? other : one
  }

  private static let ofIndex = """
    SELECT value, zone, record FROM entries WHERE database = ? AND index_id = ?
    """
  private static let upwards = " ORDER BY value, zone, record LIMIT ?"
  private static let downwards = " ORDER BY value DESC, zone DESC, record DESC LIMIT ?"

  private static let forward = SQLStatement(
    ofIndex + " AND (value, zone, record) > (?, ?, ?) AND value < ?" + upwards)
  private static let forwardToEnd = SQLStatement(
    ofIndex + " AND (value, zone, record) > (?, ?, ?)" + upwards)
  private static let backward = SQLStatement(
    ofIndex + " AND (value, zone, record) < (?, ?, ?) AND value >= ?" + downwards)
  private static let backwardFromEnd = SQLStatement(ofIndex + " AND value >= ?" + downwards)
}

extension EntryPosition {
  /// Creates the position before every entry of a value.
  fileprivate init(before value: [UInt8]) {
    self.init(value: value, zone: .min, record: .min)
  }

  fileprivate var values: [SQLValue] { [.bytes(value), .integer(zone), .integer(record)] }

  fileprivate func lies(before other: EntryPosition) -> Bool {
    if value != other.value { return value.lexicographicallyPrecedes(other.value) }
    if zone != other.zone { return zone < other.zone }
    return record < other.record
  }
}

extension IndexEntry {
  /// Whether an entry of a zone is ordered before another entry of the zone.
  static func lies(_ one: IndexEntry, before other: IndexEntry) -> Bool {
    if one.index != other.index { return one.index < other.index }
    let order = one.value.compare(other.value)
    return order == 0 ? one.record < other.record : order < 0
  }

  func values(of zone: Int64, in database: Int64, _ dialect: SQLDialect) -> [SQLValue] {
    [
      .integer(database), .integer(index), .bytes(value.cut(to: dialect.entryBytesMax)),
      .integer(zone), .integer(record),
    ]
  }
}

extension EntryRange {
  /// Returns the range with bounds that can be compared with cut values.
  ///
  /// NB: the upper bound is not included. A cut bound would exclude the entries that are cut to the
  /// same bytes, so a byte that is greater than all others follows it.
  fileprivate func cut(to max: Int?) -> EntryRange {
    guard let max else { return self }
    var range = self
    range.lower = lower.cut(to: max)
    if let upper, upper.count > max { range.upper = upper.cut(to: max) + [0xFF] }
    return range
  }
}

extension [UInt8] {
  /// Returns these bytes, or only the first `max` bytes if there are more.
  fileprivate func cut(to max: Int?) -> [UInt8] {
    guard let max, count > max else { return self }
    return Array(prefix(max))
  }

  /// Compares these bytes with other bytes. The result is negative, zero or positive.
  fileprivate func compare(_ other: [UInt8]) -> Int {
    withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        for position in 0..<Swift.min(own.count, other.count) where own[position] != other[position]
        {
          return own[position] < other[position] ? -1 : 1
        }
        return own.count - other.count
      }
    }
  }
}
