import StratusDomain

/// The tables of notification queues and of devices, added with layout 3.
enum NotificationTables {
  /// The tables belong to the store, because a user has one queue for all databases.
  ///
  /// `notifications.number` numbers the notifications of the whole store, and only the server uses
  /// it. `notifications.user_number` numbers the notifications and read marks of one user, because
  /// users see these numbers, and they must not count the notifications of others. The user's
  /// newest number is in `notification_users.newest`. A user's first number follows
  /// `notification_count.base`.
  ///
  /// NB: numbers come from a row, not from an engine's sequence. A sequence may assign numbers in
  /// another order than that of the commits. A device that reads by number would then miss some
  /// notifications.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE notification_count (
      newest BIGINT NOT NULL,
      base BIGINT NOT NULL DEFAULT 0);
    INSERT INTO notification_count (newest) VALUES (0);
    CREATE TABLE notifications (
      number BIGINT NOT NULL PRIMARY KEY,
      owner \(dialect.text) NOT NULL,
      notification_id \(dialect.text) NOT NULL,
      origin_device \(dialect.text),
      coalescing_key \(dialect.text),
      created_at BIGINT NOT NULL,
      read_number BIGINT,
      payload \(dialect.bytes) NOT NULL,
      user_number BIGINT NOT NULL);
    \(numbersOfUsers)
    CREATE INDEX notifications_coalescing ON notifications (owner, coalescing_key)
      WHERE coalescing_key IS NOT NULL;
    CREATE INDEX notifications_read ON notifications (owner, read_number)
      WHERE read_number IS NOT NULL;
    CREATE INDEX notifications_created ON notifications (created_at);
    CREATE TABLE notification_users (
      owner \(dialect.text) PRIMARY KEY,
      badge BIGINT NOT NULL,
      added BIGINT NOT NULL,
      newest BIGINT NOT NULL DEFAULT 0);

    CREATE TABLE devices (
      owner \(dialect.text) NOT NULL,
      device \(dialect.text) NOT NULL,
      channel BIGINT NOT NULL,
      environment BIGINT NOT NULL,
      token \(dialect.text),
      acknowledged BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      session \(dialect.text),
      PRIMARY KEY (owner, device));
    CREATE UNIQUE INDEX devices_token ON devices (token, channel, environment)
      WHERE token IS NOT NULL;
    \(devicesSeen)
    """
  }

  /// The index of the devices that expire, by the time they were last seen. Layout 4 added the
  /// index.
  static let devicesSeen =
    "CREATE INDEX devices_seen ON devices (seen) WHERE channel <> \(DeviceChannel.apnsNumber);"

  /// The index of the notifications by user and number.
  private static let numbersOfUsers =
    "CREATE INDEX notifications_owner ON notifications (owner, user_number);"

  /// Upgrades the tables to layout 13. In earlier layouts, users saw the numbers of the whole
  /// store. Each user's numbers continue after the store's newest number, so that devices can use
  /// their old positions.
  static let numberUsers = """
    ALTER TABLE notification_count ADD COLUMN base BIGINT NOT NULL DEFAULT 0;
    UPDATE notification_count SET base = newest;
    ALTER TABLE notification_users ADD COLUMN newest BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE notifications ADD COLUMN user_number BIGINT NOT NULL DEFAULT 0;
    UPDATE notifications SET user_number = number;
    DROP INDEX notifications_owner;
    \(numbersOfUsers)
    """

  /// Moves the notification counters beyond all numbers that were assigned before the given time.
  ///
  /// NB: a device continues after the last number that it knows. After a restore from a backup, or
  /// in a new store, numbers could otherwise be assigned twice. The device would then miss a new
  /// notification with a number that it already knows.
  static func countOn(from time: Int64, on connection: any SQLConnection) throws(ServerError) {
    let first = max(0, min(time, Int64.max >> 17)) * numbersPerMillisecond
    try connection.queue(countOn, [.integer(first), .integer(first)])
    try connection.queue(setBase, [])
  }

  /// The number of notification numbers that are reserved for each millisecond. No server assigns
  /// more numbers in a millisecond, so the counter never overtakes the clock. In the year 3000, two
  /// bits of the numbers are still unused.
  private static let numbersPerMillisecond: Int64 = 65_536

  private static let countOn = SQLStatement(
    "UPDATE notification_count SET newest = ? WHERE newest < ?")
  private static let setBase = SQLStatement("UPDATE notification_count SET base = newest")
}
