import Foundation

/// A store file of layout 4. Layout 4 adds the columns and indexes for the removal of tombstones to
/// layout 3.
enum LayoutFour {
  /// Like ``LayoutOne/make(in:changes:)``, but the deletion time of the deleted zones is 1,000.
  static func make(in url: URL, changes: String = "") throws {
    try LayoutThree.make(in: url, changes: forgetting + changes)
  }

  private static let forgetting = """
    UPDATE store SET layout = 4;
    ALTER TABLE databases ADD COLUMN newest_forgotten BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN newest_forgotten BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN deleted_at BIGINT;
    CREATE INDEX zones_forgettable ON zones (deleted_at) WHERE deleted_at IS NOT NULL;
    UPDATE zones SET deleted_at = 1000 WHERE listed IS NOT NULL AND deleted <> 0;
    CREATE INDEX records_deleted ON records (modified_at) WHERE deleted = 1;
    DROP INDEX devices_seen;
    CREATE INDEX devices_seen ON devices (seen) WHERE channel <> 2;

    """
}
