import Foundation

/// A store file of layout 2. Layout 2 adds indexes, links, assets and settings to layout 1.
enum LayoutTwo {
  /// Like ``LayoutOne/make(in:changes:)``.
  static func make(in url: URL, changes: String = "") throws {
    try LayoutOne.make(in: url, changes: tables + rows + changes)
  }

  private static let tables = """
    UPDATE store SET layout = 2;
    ALTER TABLE records ADD COLUMN assets BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE fields ADD COLUMN indexes BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN encryption_scope BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN deletion_reason BIGINT NOT NULL DEFAULT 0;
    CREATE TABLE system_fields (
      record_type TEXT NOT NULL,
      name TEXT NOT NULL,
      indexes BIGINT NOT NULL,
      PRIMARY KEY (record_type, name));
    CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value BIGINT NOT NULL);
    CREATE TABLE indexes (
      index_id INTEGER PRIMARY KEY AUTOINCREMENT,
      record_type TEXT NOT NULL,
      columns TEXT NOT NULL,
      ready BIGINT NOT NULL,
      at_database BIGINT,
      at_zone BIGINT,
      at_name TEXT);
    CREATE TABLE entries (
      database BIGINT NOT NULL,
      index_id BIGINT NOT NULL,
      value BLOB NOT NULL,
      zone BIGINT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (database, index_id, value, zone, name)) WITHOUT ROWID;
    CREATE TABLE links (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      kind BIGINT NOT NULL,
      target TEXT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (database, zone, kind, target, name)) WITHOUT ROWID;
    CREATE TABLE cascades (
      cascade_id INTEGER PRIMARY KEY AUTOINCREMENT,
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      target TEXT NOT NULL,
      change BIGINT NOT NULL,
      place TEXT,
      deleted_by TEXT NOT NULL,
      deleted_device TEXT NOT NULL,
      UNIQUE (database, zone, target));
    CREATE TABLE assets (
      checksum BLOB NOT NULL PRIMARY KEY,
      file TEXT NOT NULL UNIQUE,
      size BIGINT NOT NULL,
      touched BIGINT NOT NULL,
      held BIGINT NOT NULL) WITHOUT ROWID;
    CREATE INDEX assets_unheld ON assets (touched) WHERE held = 0;
    CREATE TABLE asset_holds (
      checksum BLOB NOT NULL,
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (checksum, database, zone, name)) WITHOUT ROWID;
    CREATE TABLE user_keys (
      owner TEXT PRIMARY KEY,
      public_key BLOB NOT NULL);
    CREATE TABLE zone_keys (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      key_id BLOB NOT NULL,
      recipient BLOB NOT NULL,
      wrapped BLOB NOT NULL,
      PRIMARY KEY (database, zone, key_id, recipient)) WITHOUT ROWID;

    """

  /// The rows contain a complete index, a partly built index, entries in two databases, and two
  /// links.
  private static let rows = """
    INSERT INTO indexes VALUES
      (1, 'Note', 'value field title', 1, NULL, NULL, NULL),
      (2, 'Note', 'descendingValue system ___modTime', 0, 1, 1, 'friend');
    INSERT INTO entries VALUES
      (1, 1, x'20526F6F740001', 1, 'root'), (1, 1, x'01', 1, 'child'), (1, 1, x'01', 1, 'friend'),
      (1, 2, x'EF', 1, 'friend'), (1, 1, x'01', 3, 'lost');
    INSERT INTO entries SELECT 2, 1, x'01', 2, name FROM records WHERE zone = 2;
    INSERT INTO links VALUES (1, 1, 1, 'root', 'child'), (1, 1, 1, 'root', 'friend');

    """
}
