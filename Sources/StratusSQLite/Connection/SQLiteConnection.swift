import CSQLite
import StratusDomain
import StratusSQL

/// One open connection to an SQLite file. Only one thread uses the connection at a time.
///
/// This class calls SQLite's C interface. A library in between would take as much time to read rows
/// as SQLite itself.
final class SQLiteConnection: SQLConnection {
  let handle: OpaquePointer
  /// The first error of an SQL statement since the last ``startBody()``.
  ///
  /// A body may catch the error and continue, but its writes are incomplete after the error.
  private(set) var failure: ServerError?
  /// The number of pages in the write-ahead log after the last commit.
  private(set) var pagesInLog = 0
  /// The number of further checkpoints that will try to truncate the log.
  private var truncationsLeft = 0
  /// The prepared statements, by ``SQLStatement/index``.
  private var prepared: [OpaquePointer?] = []
  private var isClosed = false

  /// Opens a file. Creates it if it does not exist, unless `configuration` is read-only.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if another program locks the file or the disk is full, otherwise
  ///   `INTERNAL_ERROR`.
  init(path: String, configuration: SQLiteConfiguration) throws(ServerError) {
    handle = try Self.open(path, configuration)
  }

  deinit { close() }

  static let dialect = SQLDialect(
    countedKey: "INTEGER PRIMARY KEY AUTOINCREMENT", givenKey: "INTEGER PRIMARY KEY",
    text: "TEXT", bytes: "BLOB", forUpdate: { _ in "" }, returning: { _ in "" },
    keyedTable: " WITHOUT ROWID")

  var dialect: SQLDialect { Self.dialect }

  /// Whether a transaction is open. After some errors, SQLite itself ends the transaction.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows inserted, updated and deleted since the connection was opened.
  var rowsChanged: Int { Int(sqlite3_total_changes(handle)) }

  func startBody() { failure = nil }

  func run(
    _ statement: SQLStatement, _ values: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Bool
  ) throws(ServerError) {
    let raw = try rawStatement(statement)
    defer { sqlite3_reset(raw) }
    try bind(values, to: raw, of: statement)
    let reader = SQLiteRow(statement: raw)
    while true {
      let code = sqlite3_step(raw)
      if code == SQLITE_DONE { return }
      if code != SQLITE_ROW { throw failed(code, statement) }
      if try !row(reader) { break }
    }
    if sqlite3_stmt_readonly(raw) != 0 { return }
    // NB: a statement with `RETURNING` returns rows before it is complete.
    var code = sqlite3_step(raw)
    while code == SQLITE_ROW { code = sqlite3_step(raw) }
    if code != SQLITE_DONE { throw failed(code, statement) }
  }

  @discardableResult
  func execute(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int {
    let raw = try rawStatement(statement)
    defer { sqlite3_reset(raw) }
    try bind(values, to: raw, of: statement)
    let code = sqlite3_step(raw)
    if code != SQLITE_DONE { throw failed(code, statement) }
    return Int(sqlite3_changes(handle))
  }

  /// Runs the statement immediately. A queue would only save network round trips, and SQLite uses
  /// no network.
  func queue(
    _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
  ) throws(ServerError) {
    let changed = try execute(statement, values)
    if let expected, changed != expected.rows { throw .fault(expected.otherwise) }
  }

  func insert(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int64 {
    try execute(statement, values)
    return sqlite3_last_insert_rowid(handle)
  }

  func define(_ text: String) throws(ServerError) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    if code != SQLITE_OK { throw failed(code, nil) }
  }

  /// The SQL of all statements prepared so far. Tests check the query plans of these statements.
  var preparedTexts: [String] {
    prepared.compactMap { raw in raw.flatMap(sqlite3_sql).map { String(cString: $0) } }
  }

  /// Turns off SQLite's own checkpoints, and begins to update ``pagesInLog``.
  func countPagesInLog() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    let hook:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
      ) -> Int32 = { context, _, _, pages in
        if let context {
          Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
            .pagesInLog = Int(pages)
        }
        return SQLITE_OK
      }
    sqlite3_wal_hook(handle, hook, this)
  }

  /// Whether the log should be copied into the file and truncated, because unused space of the file
  /// was returned to the system.
  var mustShrink: Bool { truncationsLeft > 0 }

  /// Makes the next checkpoints try to truncate the log. An attempt fails while a reader uses the
  /// log.
  func noteReturnedSpace() { truncationsLeft = SQLiteSettings.truncationsMax }

  /// Copies the write-ahead log into the file, except the pages that readers still use. If unused
  /// space was returned before, this method also tries to truncate the log.
  func checkpoint() {
    // A failed checkpoint is repeated after more pages were written. Until then, the log keeps all
    // data.
    guard mustShrink else {
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
      return
    }
    // NB: a checkpoint that waits for a reader would delay all writers.
    sqlite3_busy_timeout(handle, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    sqlite3_busy_timeout(handle, SQLiteSettings.busyTimeoutMilliseconds)
    truncationsLeft = code == SQLITE_OK ? 0 : truncationsLeft - 1
  }

  /// Frees the cached pages.
  func releaseMemory() { sqlite3_db_release_memory(handle) }

  /// Releases SQLite's resources. The connection cannot be used afterwards.
  func close() {
    if isClosed { return }
    isClosed = true
    // NB: SQLite keeps a connection open as long as one of its statements exists.
    for statement in prepared { sqlite3_finalize(statement) }
    prepared = []
    sqlite3_close_v2(handle)
  }

  private func rawStatement(_ statement: SQLStatement) throws(ServerError) -> OpaquePointer {
    if statement.index < prepared.count, let known = prepared[statement.index] { return known }
    if isClosed { throw SQLiteFailure.closed }
    var made: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, statement.text(dialect), -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard let raw = made else { throw failed(code, statement) }
    while prepared.count <= statement.index { prepared.append(nil) }
    prepared[statement.index] = raw
    return raw
  }

  private func bind(
    _ values: [SQLValue], to raw: OpaquePointer, of statement: SQLStatement
  ) throws(ServerError) {
    var column: Int32 = 0
    for value in values {
      column += 1
      let code = SQLiteBinding.bind(value, to: raw, at: column)
      if code != SQLITE_OK { throw failed(code, statement) }
    }
  }

  private func failed(_ code: Int32, _ statement: SQLStatement?) -> ServerError {
    let serverError = SQLiteFailure.serverError(
      code: code, message: String(cString: sqlite3_errmsg(handle)),
      doing: statement?.text(dialect) ?? "defining tables")
    failure = failure ?? serverError
    return serverError
  }
}
