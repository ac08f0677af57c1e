import StratusWire

// Conversions between the syntax tree and the schema.
extension ParsedSchema {
  /// Creates the file that describes a schema. Record types and fields that are being removed are
  /// left out.
  public init(_ schema: Schema) {
    self.init(roles: schema.customRoles.sorted().map { Located($0) })
    var types = schema.recordTypes
    if types[UserRecords.recordType] == nil {
      types[UserRecords.recordType] = RecordType(name: UserRecords.recordType)
    }
    recordTypes = types.values
      .filter { !schema.isBeingRemoved(SchemaPlace($0.name)) }
      .map { type in ParsedRecordType(type, of: schema) }
      .sorted { $0.name.value < $1.name.value }
  }

  /// Returns the schema that the file describes, with the settings and indexes of another schema.
  ///
  /// - Parameter existing: the other schema. A field of the type `NUMBER` without `PREFERRED AS`
  ///   stays INT64 if it is INT64 in this schema, and is DOUBLE otherwise.
  public func schema(basedOn existing: Schema) -> Schema {
    var types: [String: RecordType] = [:]
    for parsed in recordTypes {
      types[parsed.name.value] = RecordType(
        parsed, basedOn: existing.recordTypes[parsed.name.value])
    }
    let users = UserRecords.recordType
    if types[users] == nil { types[users] = existing.recordTypes[users] }
    return Schema(
      recordTypes: types, customRoles: Set(roles.map(\.value)),
      indexes: existing.indexes.values.flatMap { $0 }, settings: existing.settings)
  }

  /// Returns the position of a record type or field in the file. For a missing field, returns the
  /// position of its record type. Returns nil if the file does not contain the record type.
  public func position(of place: SchemaPlace) -> SchemaPosition? {
    guard let type = recordTypes.first(where: { $0.name.value == place.recordType }) else {
      return nil
    }
    guard let name = place.field else { return type.name.position }
    return type.fields.first { $0.name.value == name }?.name.position ?? type.name.position
  }
}

extension ParsedRecordType {
  fileprivate init(_ type: RecordType, of schema: Schema) {
    self.init(Located(type.name))
    fields = type.fields
      .filter { !schema.isBeingRemoved(SchemaPlace(type.name, $0.key)) }
      .map { name, field in
        ParsedField(
          Located(name), Located(.type(field.type)), options: field.indexes.schemaOptions)
      }
    if type.name == UserRecords.recordType {
      let roles = Located<ParsedType>(.type(FieldType(.int64, isList: true)))
      fields.removeAll { $0.name.value == UserRecords.rolesField }
      fields.append(ParsedField(Located(UserRecords.rolesField), roles))
    }
    for (field, indexes) in type.systemFields {
      // The language has no words for `___parent` and `___share`.
      guard let element = ParsedSchema.systemFields[field.rawValue] else { continue }
      fields.append(
        ParsedField(
          Located(field.rawValue), Located(.type(FieldType(element))),
          options: indexes.schemaOptions))
    }
    fields.sort { $0.name.value < $1.name.value }
    grants = type.grants.roles.sorted { $0.key < $1.key }.map { role, permissions in
      ParsedGrant(permissions.schemaPermissions.map { Located($0) }, to: Located(role))
    }
  }
}

extension RecordType {
  fileprivate init(_ parsed: ParsedRecordType, basedOn existing: RecordType?) {
    var fields: [String: FieldDefinition] = [:]
    // The language has no words for `___parent` and `___share`, so a file does not change them.
    var systemFields = (existing?.systemFields ?? [:]).filter {
      ParsedSchema.systemFields[$0.key.rawValue] == nil
    }
    for field in parsed.fields {
      let name = field.name.value
      if ParsedSchema.systemFields[name] != nil {
        if let system = SystemField(rawValue: name), !field.indexes.isEmpty {
          systemFields[system] = field.indexes
        }
      } else if parsed.name.value != UserRecords.recordType || name != UserRecords.rolesField {
        var type = field.type.value.fieldType
        if case .number(let isList, nil) = field.type.value,
          existing?.fields[name]?.type == FieldType(.int64, isList: isList)
        {
          type = FieldType(.int64, isList: isList)
        }
        fields[name] = FieldDefinition(type: type, indexes: field.indexes)
      }
    }
    var grants = RecordGrants()
    for grant in parsed.grants {
      for permission in grant.permissions {
        grants[grant.role.value].formUnion(RecordPermissions(permission.value))
      }
    }
    self.init(
      name: parsed.name.value, fields: fields, systemFields: systemFields, grants: grants)
  }
}

extension FieldIndexes {
  var schemaOptions: [Located<SchemaOption>] {
    SchemaOption.allCases.filter { contains($0.mark) }.map { Located($0) }
  }
}
