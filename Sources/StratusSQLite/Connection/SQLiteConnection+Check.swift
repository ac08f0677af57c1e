import StratusDomain
import StratusSQL

extension SQLiteConnection {
  /// Reads the whole file, and checks that it is not damaged.
  ///
  /// - Returns: SQLite's description of the first damage, or nil if there is no damage.
  /// - Throws: the errors of ``run(_:_:row:)``, for example if the file is so damaged that SQLite
  ///   cannot check it.
  func firstDamage() throws(ServerError) -> String? {
    let finding = try first(Self.quickCheck, []) { $0.text(0) }
    return finding == "ok" ? nil : finding ?? "SQLite cannot check it"
  }

  private static let quickCheck = SQLStatement("PRAGMA quick_check(1)")
}
