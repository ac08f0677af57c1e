import StratusWire

/// Answers ``DescribeSchema``.
struct DescribeSchemaHandler: ManagementHandler {
  typealias Endpoint = DescribeSchema

  let changer: SchemaChanger

  func answer(
    _ request: DescribeSchema.Request
  ) async throws(ServerError) -> DescribeSchema.Response {
    let stored = try await changer.schema(of: request.containerID, request.environment)
    guard let text = request.schema else { return DescribeSchema.Response(ParsedSchema(stored)) }
    switch ParsedSchema.read(text) {
    case .faulty(let faults):
      return DescribeSchema.Response(faults: faults.map { $0.message() })
    case .schema(let file): return DescribeSchema.Response(file)
    }
  }
}

extension DescribeSchema.Response {
  /// Describes a schema file. The order is that of the printed file.
  init(_ schema: ParsedSchema) {
    self.init(
      roles: schema.roles.map(\.value).sorted(),
      recordTypes: SchemaPrinter.ordered(schema.recordTypes).map { DescribeSchema.Item($0) })
  }
}

extension DescribeSchema.Item {
  fileprivate init(_ type: ParsedRecordType) {
    self.init(
      name: type.name.value,
      fields: SchemaPrinter.fields(of: type).map { DescribeSchema.Field($0) },
      grants: SchemaPrinter.permissions(of: type).map { role, permissions in
        DescribeSchema.Grant(
          role: role, permissions: permissions.map { $0.rawValue.lowercased() })
      })
  }
}

extension DescribeSchema.Field {
  fileprivate init(_ field: ParsedField) {
    self.init(
      name: field.name.value, type: SchemaPrinter.word(of: field.type.value),
      isSystem: ParsedSchema.systemFields[field.name.value] != nil,
      isQueryable: field.indexes.contains(.queryable),
      isSortable: field.indexes.contains(.sortable),
      isSearchable: field.indexes.contains(.searchable))
  }
}
