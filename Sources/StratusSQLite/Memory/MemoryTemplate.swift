import StratusDomain
import StratusSQL
import Synchronization

/// The bytes of a file with its tables and nothing in them: made once a process and copied ever
/// after, because defining the tables takes longer than everything a small test then does.
final class MemoryTemplate: Sendable {
  private let prepare: @Sendable (any SQLConnection) throws(ServerError) -> Void
  private let bytes = Mutex<[UInt8]?>(nil)

  /// - Parameter prepare: makes the tables, inside a transaction.
  init(prepare: @escaping @Sendable (any SQLConnection) throws(ServerError) -> Void) {
    self.prepare = prepare
  }

  /// An open connection to a copy.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  func connection() throws(ServerError) -> SQLiteConnection {
    let made = bytes.withLock { bytes -> Result<[UInt8], ServerError> in
      if let bytes { return .success(bytes) }
      do throws(ServerError) {
        let fresh = try make()
        bytes = fresh
        return .success(fresh)
      } catch {
        return .failure(error)
      }
    }
    return try Self.connection(to: try made.get())
  }

  /// An open connection to a copy of these bytes.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  static func connection(to bytes: [UInt8]) throws(ServerError) -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path: ":memory:", configuration: SQLiteSettings.memory)
    do throws(ServerError) { try connection.load(bytes) } catch {
      connection.close()
      throw error
    }
    return connection
  }

  private func make() throws(ServerError) -> [UInt8] {
    let connection = try SQLiteConnection(
      path: ":memory:", configuration: SQLiteSettings.memory)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    try prepare(connection)
    try connection.execute(TransactionStatements.commit, [])
    return try connection.serialized()
  }
}
