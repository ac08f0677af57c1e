import Foundation

/// A store file of layout 5. Layout 5 adds histories of zone lists, and tables of index uses,
/// uploaders and record numbers, to layout 4.
enum LayoutFive {
  /// Like ``LayoutOne/make(in:changes:)``, but the deletion time of the deleted zones is 1,000.
  static func make(in url: URL, changes: String = "") throws {
    try LayoutFour.make(in: url, changes: listings + uses + changes)
  }

  private static let listings = """
    UPDATE store SET layout = 5;
    ALTER TABLE databases ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE databases ADD COLUMN watch_version BIGINT NOT NULL DEFAULT 0;
    UPDATE databases SET epoch = (SELECT epoch FROM store);
    ALTER TABLE zones ADD COLUMN newest_passage_forgotten BIGINT NOT NULL DEFAULT 0;
    CREATE TABLE listings (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      listed BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      participation BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      deletion_reason BIGINT NOT NULL,
      deleted_at BIGINT,
      PRIMARY KEY (database, zone)) WITHOUT ROWID;
    CREATE INDEX listings_listed ON listings (database, listed);
    CREATE INDEX listings_forgettable ON listings (deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX listings_shared ON listings (zone) WHERE participation <> 0;
    CREATE TABLE passages (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      change BIGINT NOT NULL,
      name TEXT NOT NULL,
      root TEXT NOT NULL,
      kind BIGINT NOT NULL,
      made_at BIGINT NOT NULL,
      PRIMARY KEY (database, zone, change)) WITHOUT ROWID;
    CREATE INDEX passages_made ON passages (made_at);
    INSERT INTO listings (
        database, zone, listed, seen, participation, deleted, deletion_reason, deleted_at)
      SELECT database, zone, listed, 0, 0, CASE deleted WHEN 0 THEN 0 ELSE 1 END,
        deletion_reason, deleted_at
      FROM zones WHERE listed IS NOT NULL;
    DROP INDEX zones_listed;
    DROP INDEX zones_forgettable;
    ALTER TABLE zones DROP COLUMN listed;
    ALTER TABLE zones DROP COLUMN deletion_reason;
    ALTER TABLE zones DROP COLUMN deleted_at;
    CREATE TABLE record_count (next BIGINT NOT NULL);
    INSERT INTO record_count (next) SELECT COALESCE(MAX(record), 0) + 1 FROM records;

    """

  private static let uses = """
    CREATE TABLE index_uses (
      index_id BIGINT NOT NULL PRIMARY KEY,
      day BIGINT NOT NULL) WITHOUT ROWID;
    CREATE TABLE asset_uploaders (
      checksum BLOB NOT NULL PRIMARY KEY,
      uploader TEXT NOT NULL) WITHOUT ROWID;

    """
}
