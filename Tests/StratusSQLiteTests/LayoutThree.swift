import Foundation

/// A store file of layout 3. Layout 3 adds record numbers, subscriptions and notifications to
/// layout 2.
enum LayoutThree {
  /// Like ``LayoutOne/make(in:changes:)``.
  static func make(in url: URL, changes: String = "") throws {
    try LayoutTwo.make(in: url, changes: records + subscriptions + notifications + changes)
  }

  private static let records = """
    UPDATE store SET layout = 3;
    ALTER TABLE records RENAME TO records_before;
    DROP INDEX records_changed;
    CREATE TABLE records (
      record INTEGER PRIMARY KEY,
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
      assets BIGINT NOT NULL,
      UNIQUE (database, zone, name));
    CREATE UNIQUE INDEX records_changed ON records (database, zone, change);
    INSERT INTO records
      SELECT ROW_NUMBER() OVER (ORDER BY database, zone, change), * FROM records_before;
    DROP TABLE records_before;
    DROP TABLE entries;
    CREATE TABLE entries (
      database BIGINT NOT NULL,
      index_id BIGINT NOT NULL,
      value BLOB NOT NULL,
      zone BIGINT NOT NULL,
      record BIGINT NOT NULL,
      PRIMARY KEY (database, index_id, value, zone, record)) WITHOUT ROWID;

    """

  private static let subscriptions = """
    CREATE TABLE subscriptions (
      subscription INTEGER PRIMARY KEY AUTOINCREMENT,
      database BIGINT NOT NULL,
      owner TEXT NOT NULL,
      id TEXT NOT NULL,
      filed_under BLOB NOT NULL,
      subject BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      field TEXT NOT NULL,
      since BIGINT NOT NULL,
      definition BLOB NOT NULL,
      UNIQUE (database, owner, id));
    CREATE INDEX subscriptions_filed ON subscriptions (database, filed_under, subscription);
    CREATE TABLE watches (
      database BIGINT NOT NULL,
      subject BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      field TEXT NOT NULL,
      count BIGINT NOT NULL,
      PRIMARY KEY (database, subject, record_type, field)) WITHOUT ROWID;
    CREATE TABLE outbox (
      entry INTEGER PRIMARY KEY AUTOINCREMENT,
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      zone_name TEXT NOT NULL,
      event BIGINT NOT NULL,
      first_after BIGINT NOT NULL,
      last BIGINT NOT NULL,
      record_types TEXT NOT NULL,
      changed_at BIGINT NOT NULL,
      changed_by TEXT NOT NULL,
      changed_device TEXT,
      notification_id TEXT NOT NULL,
      images BIGINT NOT NULL,
      at_position BIGINT,
      at_key BLOB,
      at_subscription BIGINT);
    CREATE TABLE outbox_records (
      entry BIGINT NOT NULL,
      position BIGINT NOT NULL,
      state BIGINT NOT NULL,
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
      assets BIGINT NOT NULL,
      record BIGINT NOT NULL,
      PRIMARY KEY (entry, position, state));

    """

  private static let notifications = """
    CREATE TABLE notification_count (
      newest BIGINT NOT NULL);
    INSERT INTO notification_count (newest) VALUES (0);
    CREATE TABLE notifications (
      number BIGINT NOT NULL PRIMARY KEY,
      owner TEXT NOT NULL,
      notification_id TEXT NOT NULL,
      origin_device TEXT,
      coalescing_key TEXT,
      created_at BIGINT NOT NULL,
      read_number BIGINT,
      payload BLOB NOT NULL);
    CREATE INDEX notifications_owner ON notifications (owner, number);
    CREATE INDEX notifications_coalescing ON notifications (owner, coalescing_key)
      WHERE coalescing_key IS NOT NULL;
    CREATE INDEX notifications_read ON notifications (owner, read_number)
      WHERE read_number IS NOT NULL;
    CREATE INDEX notifications_created ON notifications (created_at);
    CREATE TABLE notification_users (
      owner TEXT PRIMARY KEY,
      badge BIGINT NOT NULL,
      added BIGINT NOT NULL);
    CREATE TABLE devices (
      owner TEXT NOT NULL,
      device TEXT NOT NULL,
      channel BIGINT NOT NULL,
      environment BIGINT NOT NULL,
      token TEXT,
      acknowledged BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      PRIMARY KEY (owner, device));
    CREATE UNIQUE INDEX devices_token ON devices (token, channel, environment)
      WHERE token IS NOT NULL;
    CREATE INDEX devices_seen ON devices (seen);

    """
}
