public import StratusDomain

extension StoreSession {
  public func removeRows(
    ofUser user: String, limit: Int
  ) throws(ServerError) -> [String: Int] {
    var counts: [String: Int] = [:]
    func delete(
      _ kind: String, _ statement: SQLStatement, _ values: [SQLValue]
    ) throws(ServerError) {
      let count = try connection.execute(statement, values)
      if count > 0 { counts[kind, default: 0] += count }
    }
    let bound = SQLValue.integer(Int64(limit))
    try delete("notifications", UserRowStatements.notifications, [.text(user), bound])
    try delete("devices", UserRowStatements.devices, [.text(user)])
    try delete("badges", UserRowStatements.badges, [.text(user)])
    try delete("keys", UserRowStatements.keys, [.text(user)])
    // NB: the rows of `databases` stay, because the `StoreSession` of each connection caches their
    // numbers. The rows contain only a hash of the account.
    for view in [DatabaseView.private(user: user), .shared(user: user)] {
      guard let number = try number(of: view) else { continue }
      let key = SQLValue.integer(number)
      try delete("histories", UserRowStatements.listings, [key, bound])
      try delete("histories", UserRowStatements.joinedShares, [key, bound])
      try delete("histories", UserRowStatements.usage, [key, bound])
      try delete("histories", UserRowStatements.zones, [key, bound])
    }
    return counts
  }
}

private enum UserRowStatements {
  static let notifications = SQLStatement(
    """
    DELETE FROM notifications WHERE number IN (
      SELECT number FROM notifications WHERE owner = ? ORDER BY user_number LIMIT ?)
    """)
  static let devices = SQLStatement("DELETE FROM devices WHERE owner = ?")
  static let badges = SQLStatement("DELETE FROM notification_users WHERE owner = ?")
  static let keys = SQLStatement("DELETE FROM user_keys WHERE owner = ?")
  static let listings = SQLStatement(
    """
    DELETE FROM listings WHERE (database, zone) IN (
      SELECT database, zone FROM listings WHERE database = ? LIMIT ?)
    """)
  static let joinedShares = SQLStatement(
    """
    DELETE FROM joined_shares WHERE (database, zone, root) IN (
      SELECT database, zone, root FROM joined_shares WHERE database = ? LIMIT ?)
    """)
  static let usage = SQLStatement(
    """
    DELETE FROM usage WHERE (database, zone, record_type) IN (
      SELECT database, zone, record_type FROM usage WHERE database = ? LIMIT ?)
    """)
  /// Removes the rows of purged zones, except the zones that a history still lists.
  static let zones = SQLStatement(
    """
    DELETE FROM zones WHERE zone IN (
      SELECT zone FROM zones WHERE database = ? AND deleted <> 0 AND deleted = 2
        AND \(ListingTables.isUnlisted) LIMIT ?)
    """)
}
