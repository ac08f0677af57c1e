public import StratusDomain

extension StoreSession {
  public func usage(of database: DatabaseKey) throws(ServerError) -> [TypeUsage] {
    guard let number = try number(of: database) else { return [] }
    var types: [String: Usage] = [:]
    try connection.run(UsageStatements.types, [.integer(number)]) { (row) throws(ServerError) in
      types[row.text(0), default: Usage()] += Usage(
        records: row.integer(1), recordBytes: row.integer(2), assetBytes: row.integer(3))
      return true
    }
    try connection.run(UsageStatements.allRecent, [.integer(number)]) {
      (row) throws(ServerError) in
      for (type, usage) in try RecentUsage(row.text(0)).types {
        types[type, default: Usage()] += usage
      }
      return true
    }
    return types.filter { $0.value.records > 0 }.sorted { $0.key < $1.key }
      .map { TypeUsage(recordType: $0.key, usage: $0.value) }
  }

  public func usedBytes(of database: DatabaseKey) throws(ServerError) -> Int64 {
    guard let number = try number(of: database) else { return 0 }
    return try connection.first(UsageStatements.bytes, [.integer(number)]) { $0.integer(0) } ?? 0
  }

  public func largestUsers(
    limit: Int
  ) throws(ServerError) -> [(user: String, bytes: Int64)] {
    try connection.all(UsageStatements.largest, [.integer(Int64(limit))]) {
      (user: $0.text(0), bytes: $0.integer(1))
    }
  }

  public func quota(ofUser user: String) throws(ServerError) -> StorageQuota? {
    try connection.first(UsageStatements.findQuota, [.text(user)]) {
      $0.isNull(0) ? .unlimited : .bytes($0.integer(0))
    }
  }

  public func set(_ quota: StorageQuota?, ofUser user: String) throws(ServerError) {
    if let quota {
      let bytes = quota.bytes.map { SQLValue.integer($0) } ?? .null
      try connection.queue(UsageStatements.setQuota, [.text(user), bytes])
    } else {
      try connection.queue(UsageStatements.deleteQuota, [.text(user)])
    }
    // NB: the cached schema says whether any user has a quota of their own (`hasUserQuotas`).
    try advanceSchema()
  }

  /// Whether any user has a quota of their own.
  func hasUserQuotas() throws(ServerError) -> Bool {
    try connection.first(UsageStatements.anyQuota, []) { _ in true } ?? false
  }

  /// Adds the changes of a batch to the counted bytes of a zone. Usually this method writes no
  /// rows: the most recent changes stay in the zone's row, which the caller changes anyway.
  ///
  /// NB: the order of the record types is fixed, so that two transactions cannot lock the rows in
  /// different orders.
  ///
  /// - Returns: the number of added bytes, and the new value of the column `recent_usage`, which
  ///   the caller must write into the zone's row.
  func count(
    _ changes: [String: Usage], of zone: Int64, in database: Int64
  ) throws(ServerError) -> (addedBytes: Int64, recent: String) {
    let before = try recentUsage(of: zone)
    var addedBytes: Int64 = 0
    for usage in changes.values { addedBytes += usage.bytes }
    if changes.allSatisfy({ $0.value.isZero }) { return (addedBytes, before) }
    var recent = try RecentUsage(before)
    for (type, usage) in changes { recent.add(usage, of: type) }
    let after = recent.shortText ?? ""
    if after.isEmpty {
      for (type, usage) in recent.types.sorted(by: { $0.key < $1.key }) {
        try connection.queue(
          UsageStatements.add,
          [
            .integer(database), .integer(zone), .text(type), .integer(usage.records),
            .integer(usage.recordBytes), .integer(usage.assetBytes),
          ])
      }
    }
    note(recentUsage: after, of: zone)
    return (addedBytes, after)
  }

  /// Removes the counted bytes of a deleted zone.
  func forgetUsage(of zone: Int64, in database: Int64) throws(ServerError) {
    try connection.queue(UsageStatements.deleteZone, [.integer(database), .integer(zone)])
  }
}

enum UsageStatements {
  static let add = SQLStatement(
    """
    INSERT INTO usage (database, zone, record_type, records, record_bytes, asset_bytes)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, record_type) DO UPDATE SET
      records = usage.records + excluded.records,
      record_bytes = usage.record_bytes + excluded.record_bytes,
      asset_bytes = usage.asset_bytes + excluded.asset_bytes
    """)
  static let deleteZone = SQLStatement("DELETE FROM usage WHERE database = ? AND zone = ?")
  static let types = SQLStatement(
    """
    SELECT record_type, CAST(SUM(records) AS BIGINT), CAST(SUM(record_bytes) AS BIGINT),
      CAST(SUM(asset_bytes) AS BIGINT)
    FROM usage WHERE database = ? GROUP BY record_type
    """)
  static let recent = SQLStatement("SELECT recent_usage FROM zones WHERE zone = ?")
  static let allRecent = SQLStatement(
    """
    SELECT recent_usage FROM zones WHERE database = ? AND deleted = 0 AND recent_usage <> ''
    """)
  static let bytes = SQLStatement(
    """
    SELECT CAST(COALESCE(SUM(used_bytes), 0) AS BIGINT) FROM zones
    WHERE database = ? AND deleted = 0
    """)
  static let largest = SQLStatement(
    """
    SELECT owner, CAST(SUM(used_bytes) AS BIGINT) AS total FROM zones
    JOIN databases ON databases.database = zones.database
    WHERE scope = 1 AND zones.deleted = 0
    GROUP BY owner HAVING SUM(used_bytes) > 0 ORDER BY total DESC, owner LIMIT ?
    """)
  static let findQuota = SQLStatement("SELECT bytes FROM quotas WHERE owner = ?")
  static let anyQuota = SQLStatement("SELECT 1 FROM quotas LIMIT 1")
  static let setQuota = SQLStatement(
    """
    INSERT INTO quotas (owner, bytes) VALUES (?, ?)
    ON CONFLICT (owner) DO UPDATE SET bytes = excluded.bytes
    """)
  static let deleteQuota = SQLStatement("DELETE FROM quotas WHERE owner = ?")
}
