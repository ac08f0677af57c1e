/// Reads records.
public protocol RecordReading {
  /// The live records of these names; names without one are left out.
  func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord]
}

/// Writes records.
public protocol RecordWriting {
  /// Writes every record of the set, replacing what stood under its name, tombstones included, and
  /// its derived rows, of which those removed may be missing and those added be there; sets
  /// the zone's newest change and client token; and lists the zone in its database's history,
  /// unless it is the default zone; and leaves in the
  /// outbox what is watched of it. An empty set with a token only stores the token.
  func apply(_ changes: ChangeSet) throws(ServerError)
}
