public import StratusDomain
public import StratusSQL
import Synchronization

/// What would be one SQLite file, in memory: one connection, whose bodies run at once on their
/// callers' threads, one after the other.
///
/// For tests and simulations: no threads, no hops, no disk, and so nothing that survives the
/// process.
///
/// NB: unchecked, since `lock` guards all that changes.
public final class MemoryFile<Session: SQLSession>: SQLEngine, @unchecked Sendable {
  private let lock = Mutex(())
  /// nil: closed.
  private var transactions: WriteTransactions<Session>?

  /// - Parameter connection: an open one, with its tables.
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

  /// Refuses everything from now on, and gives back the memory.
  public func close() {
    lock.withLock { _ in
      transactions?.close()
      transactions = nil
    }
  }

  /// The bytes a file with this content would have.
  ///
  /// - Throws: `INTERNAL_ERROR`; `TRY_AGAIN_LATER` once it is closed.
  func bytes() throws(ServerError) -> [UInt8] {
    try locked { (transactions) throws(ServerError) in try transactions.connection.serialized() }
  }

  /// Puts another connection in the place of this one, which is closed.
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
