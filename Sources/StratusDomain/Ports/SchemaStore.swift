/// Reads the schema.
public protocol SchemaReading {
  /// The record types of the store with their indexes, and the settings of the container, as of
  /// this transaction.
  func schema() throws(ServerError) -> Schema

  /// The devices that wrote to a retiring place, the latest first.
  func retiredWrites(
    of place: SchemaPlace, limit: Int
  ) throws(ServerError) -> [RetiredWrite]
}

/// Extends the schema.
public protocol SchemaWriting {
  /// Adds new record types and fields, and index marks.
  ///
  /// A new record type gets ``RecordGrants/initial(forType:)``.
  func add(_ addition: SchemaAddition) throws(ServerError)

  /// Replaces the grants of a known record type.
  func set(_ grants: RecordGrants, of recordType: String) throws(ServerError)

  /// Replaces the set of custom roles. A removed role also leaves all grants and users.
  func set(customRoles: Set<String>) throws(ServerError)

  /// Replaces the index marks of a field.
  func set(
    _ indexes: FieldIndexes, of key: SchemaAddition.Marking.Key, in recordType: String
  ) throws(ServerError)

  /// Stores a retirement, in place of an earlier one of the same place.
  func set(_ retirement: Retirement) throws(ServerError)

  /// Ends a retirement. The place stays in the schema.
  func endRetirement(of place: SchemaPlace) throws(ServerError)

  /// Removes a place from the schema, with its retirement. A record type leaves with its grants and
  /// indexes.
  func remove(_ place: SchemaPlace) throws(ServerError)

  /// Notes that a device wrote to a retiring place. The latest ``Limits/retiredWritersMax`` devices
  /// are kept.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func noteWrite(
    to place: SchemaPlace, device: String, user: String, at time: Int64
  ) throws(ServerError)

  /// Removes the schema and all data of the store. Change tokens become invalid. Records, index
  /// entries and files go later, like those of deleted zones.
  func removeAllData() throws(ServerError)

  /// Replaces the settings of the container.
  func set(_ settings: ContainerSettings) throws(ServerError)
}
