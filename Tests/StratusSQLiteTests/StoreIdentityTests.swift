import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// The keys of most tables begin with the database. The rows of a database can therefore be moved
/// to another store.
@Suite struct `The tables of a store` {
  /// The tables whose first column is not the database, each with the reason.
  private static let common: [String: String] = [
    "store": "the row about the file",
    "databases": "the list of databases",
    "record_count": "record numbers are unique in the store",
    "record_types": "all databases share one schema",
    "fields": "as record_types",
    "system_fields": "as record_types",
    "settings": "as record_types",
    "setting_texts": "as record_types",
    "roles": "as record_types",
    "grants": "as record_types",
    "role_members": "a user has the same roles in the whole store",
    "lacks": "as record_types",
    "retirements": "as record_types",
    "retired_writes": "as record_types",
    "indexes": "as record_types",
    "index_uses": "as indexes",
    "assets": "the bytes of a file are stored once",
    "asset_holds": "the holds of a file are found by its checksum",
    "asset_uploaders": "as assets",
    "user_keys": "a user has one key in all databases",
    "version_extent": "a store keeps versions as a whole",
    "quotas": "a user has one quota in the whole store",
    "notification_count": "a user has one queue for all databases",
    "notifications": "as notification_count",
    "notification_users": "as notification_count",
    "devices": "as notification_count",
    "outbox_records": "the rows belong to an entry of outbox",
  ]

  /// A number that identifies the row in the whole store may precede the database.
  @Test
  func `the first column of a table is the database, unless the table is a known exception`()
    async throws
  {
    try await withStores { stores in
      let store = try await stores.openStore(at: development)
      let leading = try await store.engine.write { (session) throws(ServerError) in
        let connection = session.connection
        let tables = try connection.all(
          SQLStatement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"), []
        ) { $0.text(0) }
        var leading: [String: [String]] = [:]
        for table in tables {
          let columns = try connection.all(
            SQLStatement("SELECT name, type FROM pragma_table_info('\(table)')"), []
          ) { (name: $0.text(0), type: $0.text(1)) }
          let isNumbered = columns.first?.type == "INTEGER"
          leading[table] = Array(columns.map(\.name).dropFirst(isNumbered ? 1 : 0).prefix(1))
        }
        return leading
      }
      #expect(leading.count > 25)
      for (table, columns) in leading {
        #expect((columns == ["database"]) != (Self.common[table] != nil), "\(table): \(columns)")
      }
      #expect(Set(Self.common.keys).subtracting(leading.keys).isEmpty)
    }
  }
}
