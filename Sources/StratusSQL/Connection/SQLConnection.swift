public import StratusDomain

/// One connection to an engine. Only one thread uses it at a time.
///
/// The protocol has everything that the SQL modules need from an engine. The engine itself handles
/// opening, transactions and threads.
public protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs a statement and passes each row to `row` while the row is in the engine's memory.
  ///
  /// - Parameter row: called once for each row. It returns false to stop.
  func run(
    _ statement: SQLStatement, _ values: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Bool
  ) throws(ServerError)

  /// Runs a statement that returns no rows.
  ///
  /// - Returns: the number of inserted, updated or deleted rows.
  @discardableResult
  func execute(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int

  /// Runs a statement immediately or later, without reading its rows. The statement runs before the
  /// next statement that returns an answer, and before the commit. An engine across a network can
  /// send several such statements in one batch.
  ///
  /// - Parameter expecting: the required number of changed rows. nil means any number.
  /// - Throws: `INTERNAL_ERROR` if another number of rows changed. If the statement runs later, a
  ///   later call throws the error, and everything that the body wrote is undone.
  func queue(
    _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
  ) throws(ServerError)

  /// Runs a statement later, like ``queue(_:_:expecting:)``. The statement itself checks its work,
  /// and divides by zero if the check fails. Only engines that combine statements have such
  /// statements (see ``SQLDialect/combinesStatements``).
  ///
  /// - Parameter reason: the reason of the error that is thrown if the check fails.
  func queue(
    _ statement: SQLStatement, _ values: [SQLValue], dividingIf reason: String
  ) throws(ServerError)

  /// The saves that the session has collected and not sent. The connection sends them before any
  /// other statement, and before the commit. The property is nil if the engine collects no saves.
  var saves: CollectedSaves? { get }

  /// Sends the collected saves.
  func sendSaves() throws(ServerError)

  /// The number of writes in the present transaction. It is only counted if the engine collects
  /// saves. A collected save counts when it is collected, and not when it is sent.
  var writes: Int { get set }

  /// Inserts one row into a table whose keys the engine assigns in increasing order.
  ///
  /// - Parameter statement: a statement that ``SQLStatement/init(inserting:key:)`` created.
  /// - Returns: the key of the new row.
  func insert(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int64

  /// Runs a text of one or more statements that define tables. The text must never come from
  /// outside.
  func define(_ text: String) throws(ServerError)

  /// Returns how far an online upgrade of the present schema's tables has come. The answer belongs
  /// to the present transaction.
  func upgradePhase() throws(ServerError) -> SQLUpgradePhase

  /// See ``SpaceReading/hasUnusedSpace()``.
  func hasUnusedSpace() throws(ServerError) -> Bool

  /// See ``SpaceWriting/returnUnusedSpace()``.
  func returnUnusedSpace() throws(ServerError) -> Bool
}

/// A row that was just read. It is valid until the callback that receives it returns.
///
/// Columns are counted from 0. A null reads as 0, as empty text, or as no bytes.
public protocol SQLRow {
  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func text(_ column: Int) -> String
  func bytes(_ column: Int) -> [UInt8]

  /// Returns the text of a column. If the text equals `known`, returns `known`, so that no new
  /// string is created.
  func text(_ column: Int, ifNot known: String) -> String
}

extension SQLRow {
  func optionalText(_ column: Int) -> String? {
    isNull(column) ? nil : text(column)
  }
}

extension SQLConnection {
  public func queue(
    _ statement: SQLStatement, _ values: [SQLValue], dividingIf reason: String
  ) throws(ServerError) {
    throw .fault("the engine has no statements that check their work")
  }

  public var saves: CollectedSaves? { nil }

  public func sendSaves() throws(ServerError) {}

  public var writes: Int {
    get { 0 }
    set {}
  }

  /// Queues a statement that may change any number of rows.
  func queue(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) {
    try queue(statement, values, expecting: nil)
  }

  /// Returns the first row of a statement, decoded by `read`, or nil if there is no row.
  package func first<Value>(
    _ statement: SQLStatement, _ values: [SQLValue], _ read: (any SQLRow) -> Value
  ) throws(ServerError) -> Value? {
    var result: Value?
    try run(statement, values) { (row) throws(ServerError) in
      result = read(row)
      return false
    }
    return result
  }

  /// Returns all rows of a statement. The statement's `LIMIT` bounds their number.
  package func all<Value>(
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
