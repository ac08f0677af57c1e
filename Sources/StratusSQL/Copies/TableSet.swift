public import StratusDomain

/// All tables of a store, or of the registry, in one engine. Only one thread uses them at a time.
public protocol TableSet: AnyObject {
  /// The connection on which the statements of this module run.
  var connection: any SQLConnection { get }

  /// Returns the tables. An engine may have further tables of its own.
  ///
  /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` if the engine is not reachable.
  func tables() throws(ServerError) -> [CopiedTable]

  /// Calls `row` with the values of each row, in any order. Only one row at a time is in memory.
  ///
  /// - Throws: the engine's errors, and the errors of `row`.
  func read(
    _ table: CopiedTable, _ row: ([SQLValue]) throws(ServerError) -> Void
  ) throws(ServerError)

  /// Calls `rows` with a function that adds a row to the table.
  ///
  /// - Throws: the engine's errors, and the errors of `rows`.
  func fill(
    _ table: CopiedTable,
    _ rows: (_ add: ([SQLValue]) throws(ServerError) -> Void) throws(ServerError) -> Void
  ) throws(ServerError)

  /// Returns the greatest key that the engine ever assigned in each table whose keys it assigns.
  func greatestKeys() throws(ServerError) -> [String: Int64]

  /// Makes the engine assign greater keys than these.
  func countOn(from keys: [String: Int64]) throws(ServerError)

  /// Returns the first record number that no session of the store has taken yet.
  func nextRecordNumber() throws(ServerError) -> Int64

  func setNextRecordNumber(_ number: Int64) throws(ServerError)
}

extension TableSet {
  /// Returns the number of rows of all tables.
  public func rowsCount(of tables: [CopiedTable]) throws(ServerError) -> Int64 {
    var count: Int64 = 0
    for table in tables {
      let statement = SQLStatement("SELECT COUNT(*) FROM \"\(table.name)\"")
      count += try connection.first(statement, []) { $0.integer(0) } ?? 0
    }
    return count
  }
}
