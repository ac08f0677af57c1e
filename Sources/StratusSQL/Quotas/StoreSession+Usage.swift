public import StratusDomain

extension StoreSession {
  public func usage(of database: DatabaseKey) throws(ServerError) -> [TypeUsage] {
    guard let number = try number(of: database) else { return [] }
    return try connection.all(UsageStatements.types, [.integer(number)]) {
      TypeUsage(
        recordType: $0.text(0),
        usage: Usage(
          records: $0.integer(1), recordBytes: $0.integer(2), assetBytes: $0.integer(3)))
    }
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
    // NB: the schema says whether any user has a quota of its own.
    try advanceSchema()
  }

  /// Whether any user has a quota of its own.
  func hasUserQuotas() throws(ServerError) -> Bool {
    try connection.first(UsageStatements.anyQuota, []) { _ in true } ?? false
  }

  /// Adds the changes of a batch to the counted bytes of a zone.
  ///
  /// NB: the order of the record types is fixed, so that two transactions cannot lock the rows in
  /// different orders.
  func count(
    _ changes: [String: Usage], of zone: Int64, in database: Int64
  ) throws(ServerError) {
    for (type, usage) in changes.sorted(by: { $0.key < $1.key }) where !usage.isZero {
      try connection.queue(
        UsageStatements.add,
        [
          .integer(database), .integer(zone), .text(type), .integer(usage.records),
          .integer(usage.recordBytes), .integer(usage.assetBytes),
        ])
    }
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
  /// NB: types that have no records any more are left out.
  static let types = SQLStatement(
    """
    SELECT record_type, CAST(SUM(records) AS BIGINT), CAST(SUM(record_bytes) AS BIGINT),
      CAST(SUM(asset_bytes) AS BIGINT)
    FROM usage WHERE database = ? GROUP BY record_type HAVING SUM(records) > 0
    ORDER BY record_type
    """)
  static let bytes = SQLStatement(
    """
    SELECT CAST(COALESCE(SUM(record_bytes + asset_bytes), 0) AS BIGINT) FROM usage
    WHERE database = ?
    """)
  static let largest = SQLStatement(
    """
    SELECT owner, CAST(SUM(record_bytes + asset_bytes) AS BIGINT) AS total FROM usage
    JOIN databases ON databases.database = usage.database WHERE scope = 1
    GROUP BY owner HAVING SUM(record_bytes + asset_bytes) > 0 ORDER BY total DESC, owner LIMIT ?
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
