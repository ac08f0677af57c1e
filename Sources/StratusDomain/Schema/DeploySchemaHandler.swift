import StratusWire

/// Answers ``DeploySchema``: adds everything that production lacks, or nothing if types conflict.
struct DeploySchemaHandler: ManagementHandler {
  typealias Endpoint = DeploySchema

  let stores: any StoreCatalog
  let containers: any ContainerRegistry

  func answer(_ request: DeploySchema.Request) async throws(ServerError) -> DeploySchema.Response {
    let container = request.containerID
    guard try await containers.containers().contains(container) else {
      throw ServerError(.notFound, Reason.containerNotFound)
    }
    let development = try await stores.store(
      at: StoreAddress(container: container, environment: .development)
    ).read { (store) throws(ServerError) in try store.schema() }
    let production = try await stores.store(
      at: StoreAddress(container: container, environment: .production))
    let addition = try await production.write { (store) throws(ServerError) in
      let addition = try development.addition(to: try store.schema())
      if !addition.isEmpty { try store.add(addition) }
      return addition
    }
    return DeploySchema.Response(
      recordTypes: addition.recordTypes,
      fields: addition.fields.map { "\($0.recordType).\($0.name)" },
      indexes: addition.markings.flatMap(\.texts).sorted())
  }
}

extension Schema {
  /// The parts of this schema that another lacks, sorted by name.
  ///
  /// - Throws: `BAD_REQUEST` naming a field whose type differs, since fields of production never
  ///   change.
  func addition(to other: Schema) throws(ServerError) -> SchemaAddition {
    var addition = SchemaAddition()
    for type in recordTypes.values.sorted(by: { $0.name < $1.name }) {
      let known = other.recordTypes[type.name]
      if known == nil { addition.recordTypes.append(type.name) }
      for (name, field) in type.fields.sorted(by: { $0.key < $1.key }) {
        guard let knownField = known?.fields[name] else {
          addition.fields.append(
            SchemaAddition.Field(
              recordType: type.name, name: name, type: field.type, indexes: field.indexes))
          continue
        }
        if knownField.type != field.type {
          throw .badRequest(
            "field '\(name)' in type '\(type.name)' is \(knownField.type.schemaName) "
              + "in production and \(field.type.schemaName) in development")
        }
        addition.mark(type.name, .field(name), field.indexes, known: knownField.indexes)
      }
      for (field, indexes) in type.systemFields {
        addition.mark(
          type.name, .system(field), indexes, known: known?.systemFields[field] ?? [])
      }
    }
    return addition
  }
}

extension SchemaAddition.Marking {
  /// The marks in readable form, one line for each kind of query.
  fileprivate var texts: [String] {
    let name =
      switch key {
      case .field(let name): name
      case .system(let field): field.rawValue
      }
    let words: [(FieldIndexes, String)] = [
      (.queryable, "QUERYABLE"), (.sortable, "SORTABLE"), (.searchable, "SEARCHABLE"),
    ]
    return words.filter { indexes.contains($0.0) }.map { "\(recordType).\(name) \($0.1)" }
  }
}

extension SchemaAddition {
  fileprivate mutating func mark(
    _ recordType: String, _ key: Marking.Key, _ indexes: FieldIndexes, known: FieldIndexes
  ) {
    let missing = indexes.subtracting(known)
    if missing.isEmpty { return }
    markings.append(Marking(recordType: recordType, key: key, indexes: missing))
  }
}
