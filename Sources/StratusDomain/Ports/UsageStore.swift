/// Reads the counted bytes of databases, and the quotas of single users.
///
/// ``RecordWriting/apply(_:)`` counts the records and bytes in the transaction that changes them.
/// The records of a deleted zone do not count.
public protocol UsageReading {
  /// Returns the usage of each record type in a database, sorted by record type.
  func usage(of database: DatabaseKey) throws(ServerError) -> [TypeUsage]

  /// Returns the bytes of all records and files in a database.
  func usedBytes(of database: DatabaseKey) throws(ServerError) -> Int64

  /// Returns the users whose private databases use the most bytes, with the largest first.
  func largestUsers(limit: Int) throws(ServerError) -> [(user: String, bytes: Int64)]

  /// Returns the quota that was set for a single user, or nil if the quota of all users applies.
  func quota(ofUser user: String) throws(ServerError) -> StorageQuota?
}

/// Changes the quotas of single users.
public protocol UsageWriting {
  /// Sets the quota of a single user. nil means that the quota of all users applies again.
  func set(_ quota: StorageQuota?, ofUser user: String) throws(ServerError)
}
