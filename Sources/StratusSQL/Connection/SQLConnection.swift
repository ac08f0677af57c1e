public import StratusDomain

/// One connection to an engine, used by one thread at a time.
///
/// Everything SQL-speaking rooms need of an engine; the rest (opening, transactions, threads) is
/// the engine's own.
public protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs a statement and hands over its rows while they stand in the engine's memory.
  ///
  /// - Parameter row: called once a row; false: no more rows are wanted.
  func run(
    _ statement: SQLStatement, _ values: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Bool
  ) throws(ServerError)

  /// Runs a statement that gives no rows.
  ///
  /// - Returns: how many rows it inserted, updated or deleted.
  @discardableResult
  func execute(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int

  /// Runs a statement whose rows are not read, now or later: at the latest before the next
  /// statement that gives an answer, or before the commit. An engine across a network can send
  /// several such statements at once.
  ///
  /// - Parameter expecting: nil: any number of rows may change.
  /// - Throws: `INTERNAL_ERROR` if another number of rows changed; where the statement runs later,
  ///   a later call throws it, and nothing of the body remains.
  func queue(
    _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
  ) throws(ServerError)

  /// Inserts one row into a table with a counted key.
  ///
  /// - Parameter statement: made by ``SQLStatement/init(inserting:key:)``.
  /// - Returns: the row's key.
  func insert(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int64

  /// Runs text that defines tables, several statements at once; never text from outside.
  func define(_ text: String) throws(ServerError)
}

/// A row that has just been read; valid until the call that hands it over returns.
///
/// Columns count from 0. A null reads as 0, as empty text, or as no bytes.
public protocol SQLRow {
  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func text(_ column: Int) -> String
  func bytes(_ column: Int) -> [UInt8]

  /// As ``text(_:)``; gives back `known` itself, without making a new string, if that is the text.
  func text(_ column: Int, ifNot known: String) -> String
}

extension SQLRow {
  func optionalText(_ column: Int) -> String? {
    isNull(column) ? nil : text(column)
  }
}

extension SQLConnection {
  /// Queues a statement that may change any number of rows.
  func queue(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) {
    try queue(statement, values, expecting: nil)
  }

  /// The first row of a statement, as `read` reads it; nil if there is none.
  func first<Value>(
    _ statement: SQLStatement, _ values: [SQLValue], _ read: (any SQLRow) -> Value
  ) throws(ServerError) -> Value? {
    var result: Value?
    try run(statement, values) { (row) throws(ServerError) in
      result = read(row)
      return false
    }
    return result
  }

  /// All rows of a statement; its `LIMIT` bounds them.
  func all<Value>(
    _ statement: SQLStatement, _ values: [SQLValue], _ read: (any SQLRow) -> Value
  ) throws(ServerError) -> [Value] {
    var result: [Value] = []
    try run(statement, values) { (row) throws(ServerError) in
      result.append(read(row))
      return true
    }
    return result
  }
}
