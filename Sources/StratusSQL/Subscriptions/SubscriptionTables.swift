/// The tables of subscriptions and of the outbox, added with layout 3.
enum SubscriptionTables {
  /// The table `watches` counts the subscriptions to each kind of change. With one small read, a
  /// save learns whether any subscription watches the change.
  ///
  /// Outbox entries are numbered across all databases of the store, because they are matched with
  /// subscriptions in the order of these numbers. Rows of `outbox_records` are removed with their
  /// outbox entry.
  ///
  /// An outbox entry contains all necessary data about its zone, because the zone may be removed
  /// before the entry is matched.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE subscriptions (
      subscription \(dialect.countedKey),
      database BIGINT NOT NULL,
      owner \(dialect.text) NOT NULL,
      id \(dialect.text) NOT NULL,
      filed_under \(dialect.bytes) NOT NULL,
      subject BIGINT NOT NULL,
      record_type \(dialect.text) NOT NULL,
      field \(dialect.text) NOT NULL,
      since BIGINT NOT NULL,
      definition \(dialect.bytes) NOT NULL,
      UNIQUE (database, owner, id));
    CREATE INDEX subscriptions_filed ON subscriptions (database, filed_under, subscription);
    CREATE TABLE watches (
      database BIGINT NOT NULL,
      subject BIGINT NOT NULL,
      record_type \(dialect.text) NOT NULL,
      field \(dialect.text) NOT NULL,
      count BIGINT NOT NULL,
      PRIMARY KEY (database, subject, record_type, field))\(dialect.keyedTable);

    CREATE TABLE outbox (
      entry \(dialect.countedKey),
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      zone_name \(dialect.text) NOT NULL,
      event BIGINT NOT NULL,
      first_after BIGINT NOT NULL,
      last BIGINT NOT NULL,
      record_types \(dialect.text) NOT NULL,
      hierarchies \(dialect.text) NOT NULL DEFAULT '',
      changed_at BIGINT NOT NULL,
      changed_by \(dialect.text) NOT NULL,
      changed_device \(dialect.text),
      notification_id \(dialect.text) NOT NULL,
      images BIGINT NOT NULL,
      at_position BIGINT,
      at_key \(dialect.bytes),
      at_subscription BIGINT);
    CREATE TABLE outbox_records (
      entry BIGINT NOT NULL,
      position BIGINT NOT NULL,
      state BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      type \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      created_by \(dialect.text) NOT NULL,
      created_device \(dialect.text) NOT NULL,
      modified_at BIGINT NOT NULL,
      modified_by \(dialect.text) NOT NULL,
      modified_device \(dialect.text) NOT NULL,
      parent \(dialect.text),
      fields \(dialect.bytes) NOT NULL,
      assets BIGINT NOT NULL,
      record BIGINT NOT NULL,
      revision BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (entry, position, state));
    """
  }
}
