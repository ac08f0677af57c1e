import StratusDomain
import Synchronization

@testable import StratusSQL
@testable import StratusSQLite

/// One store in memory that counts its statements and the rows that they return.
///
/// NB: `@unchecked` is safe, because `lock` guards the connection.
final class CountedStores: StoreCatalog, Store, @unchecked Sendable {
  private let connection: CountingConnection
  private let session: StoreSession
  private let lock = Mutex(())
  private let writes = Mutex(0)

  init() throws(ServerError) {
    let connection = try SQLiteConnection(
      path: ":memory:", configuration: SQLiteSettings.memory)
    try StoreTables.prepare(on: connection, makeEpoch: { 7 })
    self.connection = CountingConnection(connection)
    session = StoreSession(connection: self.connection)
  }

  /// Returns the numbers of statements and of returned rows since the last call.
  func take() -> (statements: Int, rows: Int) {
    lock.withLock { _ in (connection.take().count, connection.takeRows()) }
  }

  /// The number of write transactions so far.
  var writesCount: Int { writes.withLock { $0 } }

  func close() { lock.withLock { _ in connection.close() } }

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

/// A connection that records the first three words of each statement that it runs, and counts the
/// returned rows. It does not record the statements of `define`.
final class CountingConnection: SQLConnection {
  private let connection: SQLiteConnection
  private(set) var texts: [String] = []
  private(set) var rowsCount = 0

  init(_ connection: SQLiteConnection) { self.connection = connection }

  var dialect: SQLDialect { connection.dialect }

  func take() -> [String] {
    defer { texts = [] }
    return texts
  }

  /// Returns the number of returned rows since the last call.
  func takeRows() -> Int {
    defer { rowsCount = 0 }
    return rowsCount
  }

  func close() { connection.close() }

  private func note(_ statement: SQLStatement) {
    texts.append(
      statement.text(dialect).split { $0 == " " || $0 == "\n" }.prefix(3).joined(separator: " "))
  }

  func run(
    _ statement: SQLStatement, _ values: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Bool
  ) throws(ServerError) {
    note(statement)
    try connection.run(statement, values) { (found) throws(ServerError) in
      rowsCount += 1
      return try row(found)
    }
  }

  func execute(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int {
    note(statement)
    return try connection.execute(statement, values)
  }

  func queue(
    _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
  ) throws(ServerError) {
    note(statement)
    try connection.queue(statement, values, expecting: expected)
  }

  func insert(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int64 {
    note(statement)
    return try connection.insert(statement, values)
  }

  func define(_ text: String) throws(ServerError) { try connection.define(text) }

  func hasUnusedSpace() throws(ServerError) -> Bool { try connection.hasUnusedSpace() }

  func returnUnusedSpace() throws(ServerError) -> Bool { try connection.returnUnusedSpace() }
}
