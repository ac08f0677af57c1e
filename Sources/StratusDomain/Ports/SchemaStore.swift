/// Reads the schema.
public protocol SchemaReading {
  /// The record types of the store with their indexes, and the settings of the container, as of
  /// this transaction.
  func schema() throws(ServerError) -> Schema
}

/// Extends the schema.
public protocol SchemaWriting {
  /// Adds new record types and fields, and index marks.
  func add(_ addition: SchemaAddition) throws(ServerError)

  /// Replaces the settings of the container.
  func set(_ settings: ContainerSettings) throws(ServerError)
}
