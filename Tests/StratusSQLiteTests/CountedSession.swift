import StoreTestSupport

@testable import StratusSQL
@testable import StratusSQLite

/// Calls `body` with a session of a new store in memory, and with the connection that counts the
/// statements of the session.
func withCountedSession(
  _ body: (StoreSession, CountingConnection) throws -> Void
) throws {
  let connection = try SQLiteConnection(path: ":memory:", configuration: SQLiteSettings.memory)
  defer { connection.close() }
  try StoreTables.prepare(on: connection, makeEpoch: { 7 })
  let counting = CountingConnection(connection)
  try body(StoreSession(connection: counting), counting)
}
