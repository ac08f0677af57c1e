import StoreTestSupport
import StratusDomain
import Synchronization

@testable import StratusSQL
@testable import StratusSQLite

/// One store in memory that counts its statements and the rows that they return.
///
/// NB: `@unchecked` is safe, because `lock` guards the connections.
final class CountedStores: StoreCatalog, Store, @unchecked Sendable {
  private let engine: SQLiteConnection
  private let connection: CountingConnection
  private let session: StoreSession
  private let lock = Mutex(())
  private let writes = Mutex(0)

  init() throws(ServerError) {
    engine = try SQLiteConnection(path: ":memory:", configuration: SQLiteSettings.memory)
    try StoreTables.prepare(on: engine, makeEpoch: { 7 })
    connection = CountingConnection(engine)
    session = StoreSession(connection: connection)
  }

  /// Returns the numbers of statements and of returned rows since the last call.
  func take() -> (statements: Int, rows: Int) {
    lock.withLock { _ in (connection.take().count, connection.takeRows()) }
  }

  /// Returns the first three words of each statement since the last call.
  func takeStatements() -> [String] { lock.withLock { _ in connection.take() } }

  /// The number of write transactions so far.
  var writesCount: Int { writes.withLock { $0 } }

  func close() { lock.withLock { _ in engine.close() } }

  func store(at address: StoreAddress) async throws(ServerError) -> any Store { self }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try transact { (store) throws(ServerError) in try body(store) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    writes.withLock { $0 += 1 }
    return try transact(body)
  }

  private func transact<Value>(
    _ body: (any StoreWriting) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let result = lock.withLock { _ -> Result<Value, ServerError> in
      do throws(ServerError) {
        try connection.define("BEGIN")
        session.begin()
        let value = try body(session)
        try connection.define("COMMIT")
        return .success(value)
      } catch {
        session.forget()
        try? connection.define("ROLLBACK")
        return .failure(error)
      }
    }
    return try result.get()
  }
}
