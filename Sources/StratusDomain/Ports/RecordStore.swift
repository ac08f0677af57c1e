/// Reads records.
public protocol RecordReading {
  /// The live records of these names; names without one are left out.
  func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord]

  /// The live records of these numbers; those that are in another zone are left out.
  func records(
    numbered numbers: [Int64], in zone: StoredZone
  ) throws(ServerError) -> [Int64: StoredRecord]
}

/// Writes records.
public protocol RecordWriting {
  /// Draws numbers for new records.
  ///
  /// - Returns: the first of so many in a row, which no record of the store has.
  func drawRecordNumbers(_ count: Int) throws(ServerError) -> Int64

  /// Writes every record of the set, replacing what stood under its name, tombstones included;
  /// its passages; and its derived rows, of which those removed may be missing and those added be
  /// there. Sets the zone's newest change and client token; lists the zone in its database's
  /// history, unless it is the default zone; and leaves in the outbox what is watched of it. A set
  /// with a token only stores the token.
  ///
  /// A record whose number was drawn takes the place of the row under its name, number and all;
  /// one without a number keeps that row's, or gets one.
  func apply(_ changes: ChangeSet) throws(ServerError)
}
