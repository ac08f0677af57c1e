/// Reads the schema.
public protocol SchemaReading {
  /// The record types of the store with their indexes, and the settings of the container, as of
  /// this transaction.
  func schema() throws(ServerError) -> Schema
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

  /// Replaces the custom roles of a user. The schema must have the roles.
  ///
  /// - Returns: the numbers of the roles, sorted. A role's number never changes, and no other role
  ///   ever has it.
  func set(roles: Set<String>, ofUser user: String) throws(ServerError) -> [Int64]

  /// Replaces the settings of the container.
  func set(_ settings: ContainerSettings) throws(ServerError)
}
