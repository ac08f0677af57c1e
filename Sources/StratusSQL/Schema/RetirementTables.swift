import StratusDomain

/// The tables of retirements, added with layout 7. They contain the retired fields and record
/// types, and the devices that wrote to them.
///
/// The tables belong to the store, because the schema belongs to the store. A retirement of a
/// record type has an empty field name.
enum RetirementTables {
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE retirements (
      record_type \(dialect.text) NOT NULL,
      field \(dialect.text) NOT NULL,
      phase BIGINT NOT NULL,
      successor \(dialect.text),
      copied BIGINT NOT NULL,
      since BIGINT NOT NULL,
      at_database BIGINT,
      at_zone BIGINT,
      at_name \(dialect.text),
      PRIMARY KEY (record_type, field));
    CREATE TABLE retired_writes (
      record_type \(dialect.text) NOT NULL,
      field \(dialect.text) NOT NULL,
      device \(dialect.text) NOT NULL,
      writer \(dialect.text) NOT NULL,
      written_at BIGINT NOT NULL,
      writes BIGINT NOT NULL,
      PRIMARY KEY (record_type, field, device, writer))\(dialect.keyedTable);
    CREATE INDEX retired_writes_latest ON retired_writes (record_type, field, written_at);
    """
  }
}

enum RetirementStatements {
  static let list = SQLStatement(
    """
    SELECT record_type, field, phase, successor, copied, since, at_database, at_zone, at_name
    FROM retirements ORDER BY record_type, field
    """)
  static let set = SQLStatement(
    """
    INSERT INTO retirements (
        record_type, field, phase, successor, copied, since, at_database, at_zone, at_name)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (record_type, field) DO UPDATE SET
      phase = excluded.phase, successor = excluded.successor, copied = excluded.copied,
      since = excluded.since, at_database = excluded.at_database, at_zone = excluded.at_zone,
      at_name = excluded.at_name
    """)
  static let end = SQLStatement("DELETE FROM retirements WHERE record_type = ? AND field = ?")
  static let endOfType = SQLStatement("DELETE FROM retirements WHERE record_type = ?")
  static let forgetWrites = SQLStatement(
    "DELETE FROM retired_writes WHERE record_type = ? AND field = ?")
  static let forgetWritesOfType = SQLStatement(
    "DELETE FROM retired_writes WHERE record_type = ?")
  static let note = SQLStatement(
    """
    INSERT INTO retired_writes (record_type, field, device, writer, written_at, writes)
      VALUES (?, ?, ?, ?, ?, 1)
    ON CONFLICT (record_type, field, device, writer) DO UPDATE SET
      written_at = excluded.written_at, writes = retired_writes.writes + 1
    """)
  static let prune = SQLStatement(
    """
    DELETE FROM retired_writes WHERE record_type = ? AND field = ? AND written_at < (
      SELECT written_at FROM retired_writes WHERE record_type = ? AND field = ?
      ORDER BY written_at DESC LIMIT 1 OFFSET ?)
    """)
  static let writes = SQLStatement(
    """
    SELECT device, writer, written_at, writes FROM retired_writes
    WHERE record_type = ? AND field = ? ORDER BY written_at DESC LIMIT ?
    """)
  static let deleteField = SQLStatement(
    "DELETE FROM fields WHERE record_type = ? AND name = ?")
  static let deleteFields = SQLStatement("DELETE FROM fields WHERE record_type = ?")
  static let deleteSystemFields = SQLStatement("DELETE FROM system_fields WHERE record_type = ?")
  static let deleteType = SQLStatement("DELETE FROM record_types WHERE name = ?")
  static let dropIndexes = SQLStatement(
    "UPDATE indexes SET ready = 2, at_database = NULL WHERE record_type = ? AND ready <> 2")
  static let setFieldIndexes = SQLStatement(
    "UPDATE fields SET indexes = ? WHERE record_type = ? AND name = ?")
  static let setSystemIndexes = SQLStatement(
    """
    INSERT INTO system_fields (record_type, name, indexes) VALUES (?, ?, ?)
    ON CONFLICT (record_type, name) DO UPDATE SET indexes = excluded.indexes
    """)
  static let deleteSystemField = SQLStatement(
    "DELETE FROM system_fields WHERE record_type = ? AND name = ?")
}
