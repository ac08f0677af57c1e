import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// One line of SQLite's query plan for a statement.
struct QueryPlan: Sendable {
  let text: String
  let line: String

  /// The tables that a plan may scan because they are small (one row, a schema, the rows for a
  /// sweep), and an index that contains only deleted zones.
  private static let scanned: Set<String> = [
    "store", "record_types", "fields", "system_fields", "settings", "setting_texts", "indexes",
    "cascades", "outbox",
    "notification_count", "index_uses", "record_count", "roles", "grants", "role_members",
    "lacks", "unfinished_hierarchies",
    "zones USING INDEX zones_unpurged",
    "retirements", "quotas", "version_extent",
  ]

  /// Statements that scan or sort on purpose. They empty a store, count rows up to a limit, or
  /// report the usage to the operator.
  private static let deliberate = Set(
    (ResetStatements.all + [
      BuildStatements.countDone, BuildStatements.countAll, UsageStatements.largest,
      UsageStatements.types, RecordVersionStatements.sums, RecordVersionStatements.keptSums,
    ]).map { $0.text(SQLiteConnection.dialect) })

  /// Whether this line of a plan is a deliberate scan, or neither sorts nor scans a large table.
  var isBounded: Bool {
    if Self.deliberate.contains(text) { return true }
    if line.contains("TEMP B-TREE") { return false }
    guard line.hasPrefix("SCAN ") else { return true }
    let place = line.dropFirst(5)
    // The rows of a `VALUES` are in the statement itself.
    if place.hasSuffix("CONSTANT ROWS") || place.hasSuffix("VALUES CLAUSE") { return true }
    return Self.scanned.contains { place == $0 || place.hasPrefix($0 + " ") }
  }

  /// The plans of all statements that ran on a store.
  static func all(of store: SQLiteStore) async throws -> [QueryPlan] {
    let written = try await store.engine.write { $0.preparedTexts }
    let read = try await store.engine.read { $0.preparedTexts }
    let texts = Set(written + read).filter { $0.contains(" ") && !$0.hasPrefix("PRAGMA") }
    return try await all(of: texts, on: store)
  }

  static func all(of texts: Set<String>, on store: SQLiteStore) async throws -> [QueryPlan] {
    try await store.engine.write { (session) throws(ServerError) in
      var plans: [QueryPlan] = []
      for text in texts {
        let lines = try session.connection.all(SQLStatement("EXPLAIN QUERY PLAN " + text), []) {
          $0.text(3)
        }
        plans += lines.map { QueryPlan(text: text, line: $0) }
      }
      return plans
    }
  }
}

@Suite struct `Query plans` {
  @Test(arguments: [
    "SELECT name FROM records WHERE type = ?", "SELECT name FROM zones WHERE deleted = 0",
    "SELECT name FROM links WHERE database = ? AND zone = ? ORDER BY name",
    "SELECT zone FROM entries ORDER BY zone",
  ])
  func `the check of query plans detects a statement that sorts or scans a large table`(
    _ text: String
  ) async throws {
    try await withStores { stores in
      let plans = try await QueryPlan.all(of: [text], on: await stores.openStore(at: development))
      #expect(plans.contains { !$0.isBounded })
    }
  }

  /// Most queries read a range of an index: SQLite finds the first entry and steps through the
  /// index.
  @Test(arguments: [nil, [9]] as [[UInt8]?], [false, true])
  func `SQLite finds a range of index entries by all columns of the primary key`(
    _ upper: [UInt8]?, _ isReversed: Bool
  ) async throws {
    let range = EntryRange(
      index: 1, lower: [1], upper: upper,
      after: EntryPosition(value: [2], zone: 1, record: 3), isReversed: isReversed)
    let dialect = SQLiteConnection.dialect
    let text = EntryStatements.reading(range, dialect).0.text(dialect)
    try await withStores { stores in
      let plans = try await QueryPlan.all(of: [text], on: await stores.openStore(at: development))
      #expect(plans.count == 1)
      let line = try #require(plans.first?.line)
      #expect(line.hasPrefix("SEARCH entries USING PRIMARY KEY"))
      #expect(line.contains("index_id=?"))
      #expect(line.contains("(value,zone,record)"))
    }
  }
}

extension StoreSession {
  fileprivate var preparedTexts: [String] {
    (connection as? SQLiteConnection)?.preparedTexts ?? []
  }
}
