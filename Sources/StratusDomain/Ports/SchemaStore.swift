/// Reads the schema.
public protocol SchemaReading {
  /// The record types of the store, with their indexes, and the container's settings, as of this
  /// transaction.
  func schema() throws(ServerError) -> Schema
}

/// Extends the schema.
public protocol SchemaWriting {
  /// Adds record types and fields, none of which is there yet, and marks fields as indexable.
  func add(_ addition: SchemaAddition) throws(ServerError)

  /// Replaces the container's settings.
  func set(_ settings: ContainerSettings) throws(ServerError)
}
