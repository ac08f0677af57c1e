import StratusDomain

/// The table of refusals because of what production lacks, added with layout 8.
///
/// It belongs to the store, because the schema does. Stores of development leave it empty.
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
