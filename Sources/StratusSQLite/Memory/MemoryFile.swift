public import StratusDomain
public import StratusSQL
import Synchronization

/// A store or registry in memory. It has one connection. Bodies run immediately on the threads of
/// their callers, one after the other.
///
/// This type is for tests and simulations. It uses no other thread and no disk, so its data is lost
/// when the process ends.
///
/// NB: this type is unchecked, because `lock` guards all mutable state.
public final class MemoryFile<Session: SQLSession>: SQLEngine, @unchecked Sendable {
  private let lock = Mutex(())
  /// The transactions of the connection, or nil after it was closed.
  private var transactions: WriteTransactions<Session>?

  /// - Parameter connection: an open connection that has its tables.
  init(connection: SQLiteConnection) {
    transactions = WriteTransactions(connection: connection)
  }

  deinit { transactions?.close() }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try locked { (transactions) throws(ServerError) in try transactions.read(body) }
  }

  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try locked { (transactions) throws(ServerError) in try transactions.perform(body) }
  }

  /// Refuses all later calls, and frees the memory.
  public func close() {
    lock.withLock { _ in
      transactions?.close()
      transactions = nil
    }
  }

  /// Returns the content as the bytes of an SQLite file.
  ///
  /// - Throws: `INTERNAL_ERROR`, or `TRY_AGAIN_LATER` after ``close()``.
  func bytes() throws(ServerError) -> [UInt8] {
    try locked { (transactions) throws(ServerError) in try transactions.connection.serialized() }
  }

  /// Closes the connection and replaces it with another one.
  func replace(by connection: SQLiteConnection) {
    lock.withLock { _ in
      transactions?.close()
      transactions = WriteTransactions(connection: connection)
    }
  }

  private func locked<Value: Sendable>(
    _ body: (WriteTransactions<Session>) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let result = lock.withLock { _ -> Result<Value, ServerError> in
      guard let transactions else { return .failure(SQLiteFailure.closed) }
      do throws(ServerError) { return .success(try body(transactions)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
