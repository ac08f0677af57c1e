public import StratusDomain
import StratusWire

extension StoreSession {
  public func schema() throws(ServerError) -> Schema {
    guard let version = try connection.first(SchemaStatements.version, [], { $0.integer(0) })
    else { throw .fault("the store has no schema version") }
    if let knownSchema, knownSchema.version == version { return knownSchema.schema }
    let schema = try readSchema()
    knownSchema = (version, schema)
    return schema
  }

  public func add(_ addition: SchemaAddition) throws(ServerError) {
    if addition.isEmpty { return }
    for recordType in addition.recordTypes {
      try connection.execute(SchemaStatements.insertRecordType, [.text(recordType)])
    }
    for field in addition.fields {
      try connection.execute(
        SchemaStatements.insertField,
        [.text(field.recordType), .text(field.name), .text(field.type.name)])
    }
    try connection.execute(SchemaStatements.advance, [])
    knownSchema = nil
  }

  private func readSchema() throws(ServerError) -> Schema {
    var addition = SchemaAddition()
    addition.recordTypes = try connection.all(SchemaStatements.recordTypes, []) { $0.text(0) }
    try connection.run(SchemaStatements.fields, []) { (row) throws(ServerError) in
      guard let type = FieldType(name: row.text(2)) else {
        throw .fault("a field has an unknown type", facts: ["type": row.text(2)])
      }
      addition.fields.append(.init(recordType: row.text(0), name: row.text(1), type: type))
      return true
    }
    var schema = Schema()
    schema.add(addition)
    return schema
  }
}

private enum SchemaStatements {
  static let version = SQLStatement("SELECT schema_version FROM store")
  static let recordTypes = SQLStatement("SELECT name FROM record_types ORDER BY name")
  static let fields = SQLStatement(
    "SELECT record_type, name, type FROM fields ORDER BY record_type, name")
  static let insertRecordType = SQLStatement("INSERT INTO record_types (name) VALUES (?)")
  static let insertField = SQLStatement(
    "INSERT INTO fields (record_type, name, type) VALUES (?, ?, ?)")
  static let advance = SQLStatement("UPDATE store SET schema_version = schema_version + 1")
}
