import StratusDomain

/// The tables of queues, and of the devices that empty them; they came with layout 3.
enum NotificationTables {
  /// They belong to the store: a user has one queue in it, whatever the databases of the changes.
  ///
  /// NB: numbers are drawn from a row, not by the engine: a sequence gives them in another order
  /// than commits, and whoever follows them would miss some for ever.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE notification_count (
      newest BIGINT NOT NULL);
    INSERT INTO notification_count (newest) VALUES (0);
    CREATE TABLE notifications (
      number BIGINT NOT NULL PRIMARY KEY,
      owner \(dialect.text) NOT NULL,
      notification_id \(dialect.text) NOT NULL,
      origin_device \(dialect.text),
      coalescing_key \(dialect.text),
      created_at BIGINT NOT NULL,
      read_number BIGINT,
      payload \(dialect.bytes) NOT NULL);
    CREATE INDEX notifications_owner ON notifications (owner, number);
    CREATE INDEX notifications_coalescing ON notifications (owner, coalescing_key)
      WHERE coalescing_key IS NOT NULL;
    CREATE INDEX notifications_read ON notifications (owner, read_number)
      WHERE read_number IS NOT NULL;
    CREATE INDEX notifications_created ON notifications (created_at);
    CREATE TABLE notification_users (
      owner \(dialect.text) PRIMARY KEY,
      badge BIGINT NOT NULL,
      added BIGINT NOT NULL);

    CREATE TABLE devices (
      owner \(dialect.text) NOT NULL,
      device \(dialect.text) NOT NULL,
      channel BIGINT NOT NULL,
      environment BIGINT NOT NULL,
      token \(dialect.text),
      acknowledged BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      PRIMARY KEY (owner, device));
    CREATE UNIQUE INDEX devices_token ON devices (token, channel, environment)
      WHERE token IS NOT NULL;
    \(devicesSeen)
    """
  }

  /// Devices that are forgotten some day; it is so since layout 4.
  static let devicesSeen =
    "CREATE INDEX devices_seen ON devices (seen) WHERE channel <> \(DeviceChannel.apnsNumber);"

  /// Has the count of notifications go on beyond all that was drawn before a time.
  ///
  /// NB: devices come back with the numbers they know. In a store that was set back to a backup, or
  /// made anew, numbers that were drawn a second time would seem known to them, and they would
  /// never hear of what has those. No change of the epoch tells them, since they speak in numbers.
  static func countOn(from time: Int64, on connection: any SQLConnection) throws(ServerError) {
    let first = max(0, min(time, Int64.max >> 17)) * numbersPerMillisecond
    try connection.queue(countOn, [.integer(first), .integer(first)])
  }

  /// More than any server queues, for as long as it runs: it must not overtake the clock. In the
  /// year 3000 numbers still have two bits to spare.
  private static let numbersPerMillisecond: Int64 = 65_536

  private static let countOn = SQLStatement(
    "UPDATE notification_count SET newest = ? WHERE newest < ?")
}
