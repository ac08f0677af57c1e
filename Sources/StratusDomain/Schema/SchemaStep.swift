import StratusWire

/// One step of a change to a schema.
public enum SchemaStep: Sendable, Hashable {
  case addRole(String)
  case removeRole(String)
  /// Adds a record type without fields, with the grants of ``RecordGrants/initial(forType:)``.
  case addRecordType(String)
  /// Begins to remove a record type with its records.
  case removeRecordType(String)
  case addField(SchemaAddition.Field)
  /// Begins to remove a field with its values.
  case removeField(recordType: String, name: String)
  /// Replaces the index marks of a field.
  case setIndexes(recordType: String, key: SchemaAddition.Marking.Key, to: FieldIndexes)
  case setGrants(recordType: String, to: RecordGrants)

  /// The step in one line, such as `+ field Note.title STRING QUERYABLE`.
  public var text: String {
    switch self {
    case .addRole(let role): "+ role \(role)"
    case .removeRole(let role): "- role \(role)"
    case .addRecordType(let type): "+ type \(type)"
    case .removeRecordType(let type): "- type \(type)"
    case .addField(let field):
      (["+ field \(field.recordType).\(field.name)", field.type.schemaText]
        + field.indexes.schemaWords).joined(separator: " ")
    case .removeField(let type, let name): "- field \(type).\(name)"
    case .setIndexes(let type, let key, let indexes):
      "~ index \(type).\(key.schemaName) "
        + (indexes.isEmpty ? "none" : indexes.schemaWords.joined(separator: " "))
    case .setGrants(let type, let grants):
      "~ grants \(type) "
        + (grants.roles.isEmpty
          ? "none"
          : grants.roles.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value.schemaWords.joined(separator: " "))" }
            .joined(separator: ", "))
    }
  }
}

extension FieldType {
  /// The type in the schema language, such as `LIST<ENCRYPTED STRING>`.
  var schemaText: String {
    let word = (isEncrypted ? "ENCRYPTED " : "") + element.schemaWord
    return isList ? "LIST<\(word)>" : word
  }
}

extension FieldIndexes {
  /// The marks as words of the schema language, in the order in which they are printed.
  var schemaWords: [String] {
    SchemaOption.allCases.filter { contains($0.mark) }.map(\.rawValue)
  }
}

extension RecordPermissions {
  init(_ permission: SchemaPermission) {
    switch permission {
    case .read: self = .read
    case .create: self = .create
    case .write: self = .write
    }
  }

  var schemaPermissions: [SchemaPermission] {
    SchemaPermission.allCases.filter { contains(RecordPermissions($0)) }
  }

  var schemaWords: [String] { schemaPermissions.map(\.rawValue) }
}

extension SchemaAddition.Marking.Key {
  /// The name of the field in a schema file.
  var schemaName: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    }
  }
}
