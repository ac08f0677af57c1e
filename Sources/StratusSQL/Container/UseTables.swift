import StratusDomain

/// Tables about the use of what other tables hold: which indexes are read, whose files are not
/// held.
///
/// They are made wherever they are missing, in a store of any layout: nothing is lost with them but
/// what was noted of late.
enum UseTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE IF NOT EXISTS index_uses (
      index_id BIGINT NOT NULL PRIMARY KEY,
      day BIGINT NOT NULL)\(dialect.keyedTable);
    CREATE TABLE IF NOT EXISTS asset_uploaders (
      checksum \(dialect.bytes) NOT NULL PRIMARY KEY,
      uploader \(dialect.text) NOT NULL)\(dialect.keyedTable);
    """
  }
}
