import StratusDomain

/// The table of the production radar's counts, added with layout 6. It counts the requests that
/// production refused because it lacks a record type, field or index.
///
/// The table belongs to the store, because the schema belongs to the store. In stores of the
/// development environment, the table is empty.
enum LackTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE lacks (
      record_type \(dialect.text) NOT NULL,
      kind \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      app \(dialect.text) NOT NULL,
      count BIGINT NOT NULL,
      first_at BIGINT NOT NULL,
      last_at BIGINT NOT NULL,
      PRIMARY KEY (record_type, kind, name, app))\(dialect.keyedTable);
    """
  }
}
