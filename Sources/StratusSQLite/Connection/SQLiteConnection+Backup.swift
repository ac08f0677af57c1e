import CSQLite
import StratusDomain

extension SQLiteConnection {
  /// Replaces the content of another connection with the content of this connection.
  ///
  /// NB: if this connection has an open transaction that has read something, the copy has the state
  /// of that transaction. Otherwise each step would see the latest state, and SQLite would start
  /// the copy again after every commit of a running server.
  ///
  /// - Parameters:
  ///   - pagesPerStep: the number of pages that are copied between two calls of `onProgress`.
  ///   - onProgress: is called with the fraction of the pages that are copied, from 0 to 1.
  /// - Throws: `INTERNAL_ERROR`, for example if a file is damaged. `TRY_AGAIN_LATER` if the disk is
  ///   full, or if another program locks a file.
  func copyPages(
    to target: SQLiteConnection, pagesPerStep: Int32, onProgress: (Double) -> Void
  ) throws(ServerError) {
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw Self.failedCopy(sqlite3_extended_errcode(target.handle))
    }
    var code = SQLITE_OK
    while code == SQLITE_OK {
      code = sqlite3_backup_step(backup, pagesPerStep)
      guard code == SQLITE_OK || code == SQLITE_DONE else { break }
      let total = sqlite3_backup_pagecount(backup)
      let copied = total - sqlite3_backup_remaining(backup)
      onProgress(Double(copied) / Double(max(1, total)))
    }
    let end = sqlite3_backup_finish(backup)
    // NB: the last call does not return the error of a step that met a locked file.
    if code != SQLITE_DONE { throw Self.failedCopy(code) }
    if end != SQLITE_OK { throw Self.failedCopy(end) }
  }

  private static func failedCopy(_ code: Int32) -> ServerError {
    SQLiteFailure.serverError(
      code: code, message: String(cString: sqlite3_errstr(code)), doing: "copying a file")
  }
}
