/// Reads the schema.
public protocol SchemaReading {
  /// Returns the record types of the store with their indexes, and the settings of the container,
  /// as of this transaction.
  func schema() throws(ServerError) -> Schema

  /// Returns the devices that wrote to a retiring record type or field, the latest first.
  func retiredWrites(
    of place: SchemaPlace, limit: Int
  ) throws(ServerError) -> [RetiredWrite]
}

/// Changes the schema.
public protocol SchemaWriting {
  /// Adds new record types and fields, and index marks.
  ///
  /// A new record type gets ``RecordGrants/initial(forType:)``.
  func add(_ addition: SchemaAddition) throws(ServerError)

  /// Replaces the grants of a known record type.
  func set(_ grants: RecordGrants, of recordType: String) throws(ServerError)

  /// Replaces the set of custom roles. A removed role is also removed from all grants and users.
  func set(customRoles: Set<String>) throws(ServerError)

  /// Replaces the custom roles of a user. The schema must contain these roles.
  ///
  /// - Returns: the numbers of the roles, sorted. The number of a role never changes, and no other
  ///   role ever gets it.
  func set(roles: Set<String>, ofUser user: String) throws(ServerError) -> [Int64]

  /// Replaces the index marks of a field.
  func set(
    _ indexes: FieldIndexes, of key: SchemaAddition.Marking.Key, in recordType: String
  ) throws(ServerError)

  /// Stores a retirement. It replaces an earlier retirement of the same record type or field.
  func set(_ retirement: Retirement) throws(ServerError)

  /// Ends a retirement. The record type or field stays in the schema.
  func endRetirement(of place: SchemaPlace) throws(ServerError)

  /// Removes a record type or field from the schema, and removes its retirement row. The grants and
  /// indexes of a removed record type are removed, too.
  func remove(_ place: SchemaPlace) throws(ServerError)

  /// Stores a device that wrote to a retiring record type or field. The latest
  /// ``Limits/retiredWritersMax`` devices are kept.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func noteWrite(
    to place: SchemaPlace, device: String, user: String, at time: Int64
  ) throws(ServerError)

  /// Removes the schema and all data of the store, except the settings of the container and the
  /// quotas of users. Change tokens become invalid. Records, index entries and files are removed
  /// later, like those of deleted zones.
  func removeAllData() throws(ServerError)

  /// Replaces the settings of the container.
  func set(_ settings: ContainerSettings) throws(ServerError)
}
