import StoreTestSupport
import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Checks how many statements write the index entries of one record, for example one for each word.
@Suite struct `Many index entries` {
  private static let all = SQLStatement(
    "SELECT index_id, value, record FROM entries WHERE database = 1 AND zone = 2")

  private static func entries(_ count: Int, index: Int64, record: Int64) -> [IndexEntry] {
    (0..<count).map {
      IndexEntry(index: index, value: [UInt8($0 / 256), UInt8($0 % 256)], record: record)
    }
  }

  private static func rows(_ entries: [IndexEntry]) -> DerivedRows {
    var rows = DerivedRows()
    rows.entries = entries
    return rows
  }

  private static func stored(_ session: StoreSession) throws -> Set<IndexEntry> {
    Set(
      try session.connection.all(all, []) {
        IndexEntry(index: $0.integer(0), value: $0.bytes(1), record: $0.integer(2))
      })
  }

  @Test func `entries of one record share statements`() throws {
    try withCountedSession { session, connection in
      let entries = Self.entries(1_000, index: 3, record: 4)
      _ = connection.take()
      try session.add(entries, of: 2, in: 1)
      // 15 statements for 64 entries each, two for 16, and two for 4.
      #expect(connection.take().count == 19)
      #expect(try Self.stored(session) == Set(entries))
      _ = connection.take()
      try session.remove(Self.rows(entries), of: 2, in: 1)
      #expect(connection.take().count == 19)
      #expect(try Self.stored(session).isEmpty)
    }
  }

  @Test(arguments: [1, 3, 4, 5, 16, 19, 21, 63, 64, 65, 84, 150])
  func `any number of entries of several records and indexes is written and removed`(
    _ count: Int
  ) throws {
    try withCountedSession { session, _ in
      let kept = Self.entries(count, index: 3, record: 4)
      let removed =
        Self.entries(count, index: 3, record: 5)
        + Self.entries(count, index: 4, record: 4)
      try session.add(kept + removed, of: 2, in: 1)
      try session.add(kept, of: 2, in: 1)
      #expect(try Self.stored(session) == Set(kept + removed))
      try session.remove(Self.rows(removed), of: 2, in: 1)
      try session.remove(Self.rows(removed), of: 2, in: 1)
      #expect(try Self.stored(session) == Set(kept))
    }
  }
}
