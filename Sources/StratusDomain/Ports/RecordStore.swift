/// Reads records.
public protocol RecordReading {
  /// Returns the live records with these names. Names without a record are left out.
  func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord]

  /// Returns the live records and the tombstones with these names. Names without a row are left
  /// out.
  func latestStates(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord]

  /// Returns the live records with these numbers. Records of other zones are left out.
  func records(
    numbered numbers: [Int64], in zone: StoredZone
  ) throws(ServerError) -> [Int64: StoredRecord]
}

/// Writes records.
public protocol RecordWriting {
  /// Reserves numbers for new records.
  ///
  /// - Returns: the first of `count` consecutive numbers that no record of the store has.
  func drawRecordNumbers(_ count: Int) throws(ServerError) -> Int64

  /// Writes a change set:
  ///
  /// - Every record of the set replaces the row with its name, even if that row is a tombstone.
  /// - The passages and derived rows of the set are written. It is no error if a row to remove is
  ///   missing, or if a row to add exists already.
  /// - The zone's newest change and client change token are set.
  /// - The zone is listed in its database's history, unless it is the default zone.
  /// - Watched changes are added to the outbox.
  ///
  /// If a set has only a client change token, only that token is stored.
  ///
  /// If a record has a reserved number, its row gets this number. If the record has no number, an
  /// existing row keeps its number, and a new row gets a new one.
  func apply(_ changes: ChangeSet) throws(ServerError)
}
