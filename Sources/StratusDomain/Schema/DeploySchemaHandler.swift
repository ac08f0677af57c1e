import StratusWire

/// Answers ``DeploySchema``: adds what production lacks, or nothing at all.
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
      fields: addition.fields.map { "\($0.recordType).\($0.name)" })
  }
}

extension Schema {
  /// What this schema has and another lacks, in order of names.
  ///
  /// - Throws: `BAD_REQUEST` naming a field whose type differs: fields of production never change.
  func addition(to other: Schema) throws(ServerError) -> SchemaAddition {
    var addition = SchemaAddition()
    for type in recordTypes.values.sorted(by: { $0.name < $1.name }) {
      let known = other.recordTypes[type.name]
      if known == nil { addition.recordTypes.append(type.name) }
      for (name, fieldType) in type.fields.sorted(by: { $0.key < $1.key }) {
        guard let knownType = known?.fields[name] else {
          addition.fields.append(
            SchemaAddition.Field(recordType: type.name, name: name, type: fieldType))
          continue
        }
        if knownType != fieldType {
          throw .badRequest(
            "field '\(name)' in type '\(type.name)' is \(knownType.name) in production "
              + "and \(fieldType.name) in development")
        }
      }
    }
    return addition
  }
}
