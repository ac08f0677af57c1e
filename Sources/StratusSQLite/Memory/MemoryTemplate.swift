import StratusDomain
import StratusSQL
import Synchronization

/// The bytes of a file with empty tables. They are created once for each process and then copied,
/// because creating the tables takes longer than the rest of a small test.
final class MemoryTemplate: Sendable {
  private let prepare: @Sendable (any SQLConnection) throws(ServerError) -> Void
  private let bytes = Mutex<[UInt8]?>(nil)

  /// - Parameter prepare: creates the tables inside a transaction.
  init(prepare: @escaping @Sendable (any SQLConnection) throws(ServerError) -> Void) {
    self.prepare = prepare
  }

  /// Opens a connection to a copy of these bytes.
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

  /// Opens a connection to a copy of the given bytes.
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
