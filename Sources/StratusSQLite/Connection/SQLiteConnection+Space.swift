import StratusDomain
import StratusSQL

extension SQLiteConnection {
  /// NB: SQLite can vacuum a file in steps only if the file was created with `auto_vacuum`.
  func hasUnusedSpace() throws(ServerError) -> Bool {
    let unused = try first(SpaceStatements.unusedPages, []) { $0.integer(0) } ?? 0
    guard unused >= SQLiteSettings.unusedPagesMax else { return false }
    return try first(SpaceStatements.mode, []) { $0.integer(0) } == SpaceStatements.inSteps
  }

  func returnUnusedSpace() throws(ServerError) -> Bool {
    guard try hasUnusedSpace() else { return false }
    // NB: each step of this statement frees one page and returns a row.
    try run(SpaceStatements.vacuum, []) { _ in true }
    if try hasUnusedSpace() { return true }
    noteReturnedSpace()
    return false
  }
}

private enum SpaceStatements {
  static let unusedPages = SQLStatement("PRAGMA freelist_count")
  static let mode = SQLStatement("PRAGMA auto_vacuum")
  /// The value of ``mode`` for a file that can be vacuumed in steps.
  static let inSteps: Int64 = 2
  static let vacuum = SQLStatement(
    "PRAGMA incremental_vacuum(\(SQLiteSettings.pagesPerVacuumStep))")
}
