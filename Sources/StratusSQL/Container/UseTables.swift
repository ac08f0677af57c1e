import StratusDomain

/// The tables of usage, added with layout 5. They contain the day on which each index was last
/// read, and the user who last uploaded each asset. The uploader matters only while no record uses
/// the asset.
///
/// The tables belong to the store, because indexes and assets belong to the store.
enum UseTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE index_uses (
      index_id BIGINT NOT NULL PRIMARY KEY,
      day BIGINT NOT NULL)\(dialect.keyedTable);
    CREATE TABLE asset_uploaders (
      checksum \(dialect.bytes) NOT NULL PRIMARY KEY,
      uploader \(dialect.text) NOT NULL)\(dialect.keyedTable);
    """
  }
}
