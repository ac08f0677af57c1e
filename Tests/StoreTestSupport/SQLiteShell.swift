import CSQLite
public import StratusDomain

/// A connection through which a test reads and changes an SQLite file. It uses none of the server's
/// code, so a test can make the files of earlier versions, and of other programs.
public final class SQLiteShell {
  private let handle: OpaquePointer

  /// Opens a file, and creates it if it does not exist.
  public init(path: String) throws(ServerError) {
    var opened: OpaquePointer?
    let code = sqlite3_open(path, &opened)
    guard let handle = opened else { throw .fault("there is no memory for a connection") }
    self.handle = handle
    if code != SQLITE_OK { throw failure("opening \(path)") }
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements, each in its own transaction, unless the statements say otherwise.
  public func execute(_ statements: String) throws(ServerError) {
    if sqlite3_exec(handle, statements, nil, nil, nil) != SQLITE_OK { throw failure(statements) }
  }

  /// Runs statements in one transaction.
  public func write(_ statements: String) throws(ServerError) {
    try execute("BEGIN IMMEDIATE")
    do throws(ServerError) {
      try execute(statements)
      try execute("COMMIT")
    } catch {
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Returns the first column of a query's rows.
  public func integers(_ query: String) throws(ServerError) -> [Int64] {
    try values(query) { sqlite3_column_int64($0, 0) }
  }

  /// Returns the first column of a query's rows. The text of a null is empty.
  public func texts(_ query: String) throws(ServerError) -> [String] {
    try values(query) { row in sqlite3_column_text(row, 0).map { String(cString: $0) } ?? "" }
  }

  private func values<Value>(
    _ query: String, _ value: (OpaquePointer) -> Value
  ) throws(ServerError) -> [Value] {
    var made: OpaquePointer?
    sqlite3_prepare_v2(handle, query, -1, &made, nil)
    guard let statement = made else { throw failure(query) }
    defer { sqlite3_finalize(statement) }
    var values: [Value] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      values.append(value(statement))
      code = sqlite3_step(statement)
    }
    if code != SQLITE_DONE { throw failure(query) }
    return values
  }

  private func failure(_ what: String) -> ServerError {
    .fault(what, facts: ["sqlite": String(cString: sqlite3_errmsg(handle))])
  }
}
