public import StratusDomain

extension StoreSession {
  public func removeAllData() throws(ServerError) {
    // Zones with records are only marked as deleted. Their records, entries and assets are purged
    // later, in steps.
    for statement in ResetStatements.all { try connection.execute(statement, []) }
    forgetStates()
    try advanceSchema()
  }
}

enum ResetStatements {
  static let all: [SQLStatement] =
    [
      SQLStatement(
        """
        UPDATE zones SET deleted = CASE change WHEN 0 THEN 2 ELSE 1 END, client_token = NULL
        WHERE deleted IN (0, 3)
        """),
      // NB: a new epoch makes every change token invalid, so that no device keeps a removed record.
      // The epoch of the store itself stays, because it identifies the store in the registry.
      SQLStatement("UPDATE databases SET epoch = epoch + 1, watch_version = watch_version + 1"),
      SQLStatement("DELETE FROM zones WHERE deleted = 2"),
      // NB: no notification number is used again, although the rows with the users' newest numbers
      // are removed. The counter is rounded up, so that the next numbers do not tell how many
      // notifications there were.
      SQLStatement(
        "UPDATE notification_count SET newest = newest | 4294967295, base = newest | 4294967295"),
    ]
    + [
      "listings", "user_keys", "zone_keys", "subscriptions", "watches", "outbox",
      "outbox_records", "notifications", "notification_users", "devices", "cascades",
      "record_types", "fields", "system_fields", "grants", "roles", "role_members",
      "retirements", "retired_writes", "lacks", "usage", "kept_zones", "version_extent",
    ].map { SQLStatement("DELETE FROM \($0)") }
    + [SQLStatement("UPDATE indexes SET ready = 2, at_database = NULL WHERE ready <> 2")]
}
