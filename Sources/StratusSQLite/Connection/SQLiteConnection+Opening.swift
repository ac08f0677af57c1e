import CSQLite
import StratusDomain

extension SQLiteConnection {
  /// Opens a file and sets up the connection. The caller must close the returned connection.
  ///
  /// - Throws: see ``init(path:configuration:)``.
  static func open(
    _ path: String, _ configuration: SQLiteConfiguration
  ) throws(ServerError) -> OpaquePointer {
    let access =
      configuration.isReadOnly
      ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var opened: OpaquePointer?
    // SQLite needs no locks of its own, because only one thread uses the connection at a time.
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle = opened else {
      throw SQLiteFailure.serverError(
        code: code, message: String(cString: sqlite3_errstr(code)), doing: opening)
    }
    // NB: SQLite also returns a connection if it cannot open the file.
    if code == SQLITE_OK, isSetUp(handle, configuration) { return handle }
    let failure = SQLiteFailure.serverError(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)),
      doing: opening)
    sqlite3_close_v2(handle)
    throw failure
  }

  private static let opening = "opening a file"

  /// - Returns: whether all statements succeeded.
  private static func isSetUp(
    _ handle: OpaquePointer, _ configuration: SQLiteConfiguration
  ) -> Bool {
    sqlite3_extended_result_codes(handle, 1)
    stratus_sqlite_refuse_quoted_strings(handle)
    // NB: the pragmas may have to wait for another program.
    sqlite3_busy_timeout(handle, SQLiteSettings.busyTimeoutMilliseconds)
    return sqlite3_exec(handle, configuration.pragmas + firstRead, nil, nil, nil) == SQLITE_OK
  }

  /// SQLite reads a file only when a statement needs its content. With this statement, the opening
  /// fails if the file is damaged or is no SQLite file.
  private static let firstRead = "SELECT 1 FROM sqlite_master LIMIT 1;"
}
