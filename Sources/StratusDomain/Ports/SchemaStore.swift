/// Reads the schema.
public protocol SchemaReading {
  /// The record types of the store, as of this transaction.
  func schema() throws(ServerError) -> Schema
}

/// Extends the schema.
public protocol SchemaWriting {
  /// Adds record types and fields, none of which is there yet.
  func add(_ addition: SchemaAddition) throws(ServerError)
}
