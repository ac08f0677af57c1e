import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQLite

/// A store file of layout 1, the first version of Stratus.
enum LayoutOne {
  /// Creates the store file of ``development`` in a data folder.
  ///
  /// - Parameter changes: SQL statements that run after all others.
  static func make(in url: URL, changes: String = "") throws {
    let folder = url.appendingPathComponent(development.container, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("development.sqlite").path
    try SQLiteShell(path: path).write(tables + rows + changes)
  }

  private static let tables = """
    CREATE TABLE store (
      layout BIGINT NOT NULL, epoch BIGINT NOT NULL, schema_version BIGINT NOT NULL);
    CREATE TABLE databases (
      database INTEGER PRIMARY KEY AUTOINCREMENT,
      scope BIGINT NOT NULL,
      owner TEXT NOT NULL,
      change BIGINT NOT NULL,
      UNIQUE (scope, owner));
    CREATE TABLE zones (
      zone INTEGER PRIMARY KEY AUTOINCREMENT,
      database BIGINT NOT NULL,
      name TEXT NOT NULL,
      change BIGINT NOT NULL,
      listed BIGINT,
      deleted BIGINT NOT NULL,
      client_token TEXT);
    CREATE UNIQUE INDEX zones_live ON zones (database, name) WHERE deleted = 0;
    CREATE INDEX zones_listed ON zones (database, listed) WHERE listed IS NOT NULL;
    CREATE INDEX zones_deleted ON zones (database, name) WHERE deleted <> 0;
    CREATE INDEX zones_unpurged ON zones (zone) WHERE deleted = 1;
    CREATE TABLE records (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      change BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      created_by TEXT NOT NULL,
      created_device TEXT NOT NULL,
      modified_at BIGINT NOT NULL,
      modified_by TEXT NOT NULL,
      modified_device TEXT NOT NULL,
      parent TEXT,
      fields BLOB NOT NULL,
      PRIMARY KEY (database, zone, name));
    CREATE UNIQUE INDEX records_changed ON records (database, zone, change);
    CREATE TABLE record_types (
      name TEXT PRIMARY KEY);
    CREATE TABLE fields (
      record_type TEXT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      PRIMARY KEY (record_type, name));

    """

  /// Ann's zone has a few records that refer to each other. Bob's zone has 2,500 records that refer
  /// to its first record and have the same parent. A third zone is deleted, and its rows still
  /// exist.
  private static let rows = #"""
    INSERT INTO store VALUES (1, 42, 3);
    INSERT INTO databases VALUES (1, 1, '_ann', 2), (2, 1, '_bob', 1);
    INSERT INTO zones VALUES
      (1, 1, 'Notes', 5, 1, 0, 'token'), (2, 2, 'Notes', 2500, 1, 0, NULL),
      (3, 1, 'Gone', 1, 2, 1, NULL);
    INSERT INTO record_types VALUES ('Note');
    INSERT INTO fields VALUES
      ('Note', 'title', 'STRING'), ('Note', 'owner', 'REFERENCE'),
      ('Note', 'friends', 'REFERENCE_LIST'), ('Note', 'data', 'BYTES');
    INSERT INTO records VALUES
      (1, 1, 'root', 'Note', 1, 0, 10, '_ann', 'a', 11, '_ann', 'b', NULL,
        CAST('{"title":{"value":"Root","type":"STRING"}}' AS BLOB)),
      (1, 1, 'child', 'Note', 2, 0, 10, '_ann', 'a', 11, '_ann', 'b', 'root',
        CAST('{"owner":{"value":{"recordName":"root","action":"DELETE_SELF",'
          || '"zoneID":{"zoneName":"Notes","ownerRecordName":"_ann"}},"type":"REFERENCE"}}'
        AS BLOB)),
      (1, 1, 'friend', 'Note', 3, 0, 10, '_ann', 'a', 11, '_ann', 'b', NULL,
        CAST('{"friends":{"value":[{"recordName":"root","action":"DELETE_SELF"},'
          || '{"recordName":"child","action":"NONE"}],"type":"REFERENCE_LIST"}}' AS BLOB)),
      (1, 1, 'gone', 'Note', 5, 1, 0, '', '', 11, '_ann', 'b', NULL, x''),
      (1, 3, 'lost', 'Note', 1, 0, 10, '_ann', 'a', 11, '_ann', 'b', 'root', CAST('{}' AS BLOB));
    WITH RECURSIVE numbers (number) AS (
      SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 2500)
    INSERT INTO records
      SELECT 2, 2, printf('r%04d', number), 'Note', number, 0, 10, '_bob', 'a', 11, '_bob', 'b',
        'mother', CAST('{"owner":{"value":{"recordName":"r0001","action":"DELETE_SELF"},'
          || '"type":"REFERENCE"}}' AS BLOB)
      FROM numbers;

    """#
}
