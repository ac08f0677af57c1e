import StratusWire

/// Answers ``DeploySchema``. It adds everything that production lacks, and replaces the grants of
/// each record type by those in development. It changes nothing if a part is refused.
struct DeploySchemaHandler: ManagementHandler {
  typealias Endpoint = DeploySchema

  let changer: SchemaChanger

  func answer(_ request: DeploySchema.Request) async throws(ServerError) -> DeploySchema.Response {
    let outcome = try await changer.change(request.containerID, .production, to: .development)
    if let refusal = outcome.evolution.refusals.first { throw .badRequest(refusal.reason) }
    var response = DeploySchema.Response(recordTypes: [], fields: [], indexes: [])
    for step in outcome.evolution.steps {
      switch step {
      case .addRecordType(let name): response.recordTypes.append(name)
      case .addField(let field): response.fields.append("\(field.recordType).\(field.name)")
      case .setIndexes(let recordType, let key, let indexes):
        let known = outcome.old.recordTypes[recordType]?.indexes(of: key) ?? []
        response.indexes += indexes.subtracting(known).schemaWords.map {
          "\(recordType).\(key.schemaName) \($0)"
        }
      case .addRole, .removeRole, .removeRecordType, .removeField, .setGrants: continue
      }
    }
    response.indexes.sort()
    return response
  }
}

extension RecordType {
  fileprivate func indexes(of key: SchemaAddition.Marking.Key) -> FieldIndexes? {
    switch key {
    case .field(let name): fields[name]?.indexes
    case .system(let field): systemFields[field]
    }
  }
}
