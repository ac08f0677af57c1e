public import StratusDomain

/// Copies the tables of a store or of the registry from one engine to another, and compares them.
public struct TableCopy {
  /// The owner of the tables.
  public enum Subject: Sendable {
    case store, registry
  }

  private let subject: Subject
  private let source: any TableSet
  private let target: any TableSet
  /// The rows of the registry that are copied, or nil if all are.
  private let selection: RegistrySelection?
  /// The tables that both engines have, with the kinds of their values.
  public let tables: [CopiedTable]

  /// - Parameters:
  ///   - target: tables that were just created.
  ///   - typed: the one of `source` and `target` whose engine distinguishes texts and bytes.
  ///   - selection: the rows of a registry that are copied, or nil if all are.
  /// - Throws: `INTERNAL_ERROR` if the layouts differ.
  public init(
    of subject: Subject, from source: any TableSet, to target: any TableSet,
    typed: any TableSet, selection: RegistrySelection? = nil
  ) throws(ServerError) {
    self.subject = subject
    self.selection = selection
    self.source = source
    self.target = target
    tables = try typed.tables()
    for other in [source, target] {
      let found = try other.tables()
      for table in tables where !found.contains(where: table.matches) {
        throw .fault("a table differs between the engines", facts: ["table": table.name])
      }
    }
  }

  /// Copies the rows, and the counters of keys.
  ///
  /// - Parameter onRows: is called at intervals with the number of rows that were read since the
  ///   last call.
  /// - Returns: the count and the checksum of the copied rows of each table.
  public func run(
    onRows: (Int64) -> Void = { _ in }
  ) throws(ServerError) -> [String: TableTally] {
    var tallies: [String: TableTally] = [:]
    for table in tables {
      try target.connection.define("DELETE FROM \"\(table.name)\";")
      var tally = TableTally()
      var readRows: Int64 = 0
      let cutColumn = cutColumn(of: table)
      try target.fill(table) { (add) throws(ServerError) in
        try source.read(table) { (found) throws(ServerError) in
          readRows += 1
          if readRows % Self.rowsPerReport == 0 { onRows(Self.rowsPerReport) }
          guard let kept = try chosen(found, of: table) else { return }
          let values = cutColumn.map { cut(kept, at: $0) } ?? kept
          tally.add(values)
          try add(values)
        }
      }
      onRows(readRows % Self.rowsPerReport)
      tallies[table.name] = tally
    }
    // NB: `greatestKeys()` may also return tables that only the source's engine has. They are left
    // out.
    let keys = try source.greatestKeys().filter { key in tables.contains { $0.name == key.key } }
    try target.countOn(from: keys)
    return tallies
  }

  /// Reads the target again, and compares it with what was read from the source.
  ///
  /// - Throws: `INTERNAL_ERROR` if a table differs.
  public func verify(_ tallies: [String: TableTally]) throws(ServerError) {
    for table in tables {
      var tally = TableTally()
      try target.read(table) { (values) throws(ServerError) in tally.add(values) }
      guard let expected = tallies[table.name], expected == tally else {
        throw .fault(
          "a table differs from its source after the copy",
          facts: ["table": table.name, "rows": "\(tally.rows)"])
      }
    }
  }

  /// Copies the values that the engines keep in different forms. It must be called after
  /// ``verify(_:)``.
  ///
  /// The engines keep the counter of record numbers in different places. An index with entries that
  /// the source has cut is dropped, because the target would not find these entries by the values
  /// of their records. A query creates the index again.
  public func finish() throws(ServerError) {
    guard case .store = subject else { return }
    try target.setNextRecordNumber(try source.nextRecordNumber())
    guard let max = source.connection.dialect.entryBytesMax,
      target.connection.dialect.entryBytesMax == nil
    else { return }
    try target.connection.execute(Self.dropCutIndexes, [.integer(Int64(max))])
  }

  /// Returns a row as the copy contains it, or nil if the row is left out.
  private func chosen(
    _ values: [SQLValue], of table: CopiedTable
  ) throws(ServerError) -> [SQLValue]? {
    guard let selection else { return values }
    return try selection.row(values, of: table)
  }

  /// The position of the column whose values the target cuts, or nil if it cuts none.
  private func cutColumn(of table: CopiedTable) -> Int? {
    guard case .store = subject, table.name == "entries",
      target.connection.dialect.entryBytesMax != nil
    else { return nil }
    return table.columns.firstIndex { $0.name == "value" }
  }

  private func cut(_ values: [SQLValue], at column: Int) -> [SQLValue] {
    guard let max = target.connection.dialect.entryBytesMax,
      case .bytes(let bytes) = values[column], bytes.count > max
    else { return values }
    var values = values
    values[column] = .bytes(Array(bytes.prefix(max)))
    return values
  }

  private static let dropCutIndexes = SQLStatement(
    """
    UPDATE indexes SET ready = 2, at_database = NULL
    WHERE index_id IN (SELECT index_id FROM entries WHERE LENGTH(value) >= ?)
    """)
  private static let rowsPerReport: Int64 = 1_000
}
