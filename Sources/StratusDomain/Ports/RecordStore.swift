/// Reads records.
public protocol RecordReading {
  /// The live records with these names. Names without a record are left out.
  func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord]

  /// The live records with these numbers. Records of other zones are left out.
  func records(
    numbered numbers: [Int64], in zone: StoredZone
  ) throws(ServerError) -> [Int64: StoredRecord]
}

/// Writes records.
public protocol RecordWriting {
  /// Reserves numbers for new records.
  ///
  /// - Returns: the first of `count` consecutive numbers, which no record of the store has.
  func drawRecordNumbers(_ count: Int) throws(ServerError) -> Int64

  /// Writes a change set:
  ///
  /// - Every record of the set replaces the row with its name, including a tombstone.
  /// - Its passages and derived rows are written. It is no error if a row to remove is missing, or
  ///   if a row to add exists already.
  /// - The zone's newest change and client token are set.
  /// - The zone is listed in its database's history, unless it is the default zone.
  /// - Watched changes are added to the outbox.
  ///
  /// If a set has only a token, only the token is stored.
  ///
  /// If a record has a reserved number, the row gets this number. If it has no number, the row
  /// keeps its number, or gets a new one if the row is new.
  func apply(_ changes: ChangeSet) throws(ServerError)
}
