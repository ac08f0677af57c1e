import StratusWire

/// Writes a schema file in the form of Apple's export, so that a comparison of files shows only
/// what changed.
///
/// - All system fields are written, with their options. Entries are in ASCII order of their names,
///   so that upper case stands before `_`, and `_` before lower case.
/// - The types of a record type's fields begin in one column, after the longest name.
/// - Grants follow: `_creator`, `_icloud`, `_world`, then custom roles by name, one line for each.
///
/// `Choice:` roles come first, ordered by name. Record types are ordered by name, regardless of
/// case.
struct SchemaPrinter {
  static func text(of schema: ParsedSchema) -> String {
    var blocks: [String] = []
    let roles = schema.roles.map(\.value).sorted()
    if !roles.isEmpty {
      blocks.append(
        roles.map { "    CREATE ROLE \(quoted($0));" }.joined(separator: "\n"))
    }
    blocks += ordered(schema.recordTypes).map(text(of:))
    return (["DEFINE SCHEMA"] + blocks).joined(separator: "\n\n") + "\n"
  }

  /// Returns record types in the order of a file.
  static func ordered(_ types: [ParsedRecordType]) -> [ParsedRecordType] {
    types.sorted { $0.name.value.sorts(before: $1.name.value) }
  }

  /// Returns the fields of a record type in the order of a file, with all system fields.
  static func fields(of type: ParsedRecordType) -> [ParsedField] {
    var fields = type.fields
    for (name, element) in ParsedSchema.systemFields
    where !fields.contains(where: { $0.name.value == name }) {
      fields.append(ParsedField(Located(name), Located(.type(FieldType(element)))))
    }
    fields.sort { $0.name.value.utf8.lexicographicallyPrecedes($1.name.value.utf8) }
    return fields
  }

  private static func text(of type: ParsedRecordType) -> String {
    let fields = Self.fields(of: type)
    let names = fields.map { quoted($0.name.value) }
    let width = names.map(\.count).max() ?? 0
    var entries = zip(names, fields).map { name, field in
      let padding = String(repeating: " ", count: width - name.count + 1)
      let options = SchemaOption.allCases.filter { field.indexes.contains($0.mark) }
      let words = [word(of: field.type.value)] + options.map(\.rawValue)
      return "        \(name)\(padding)\(words.joined(separator: " "))"
    }
    entries += grants(of: type)
    return "    RECORD TYPE \(quoted(type.name.value)) (\n"
      + entries.joined(separator: ",\n") + "\n    );"
  }

  private static func grants(of type: ParsedRecordType) -> [String] {
    permissions(of: type).map { role, permissions in
      "        GRANT \(permissions.map(\.rawValue).joined(separator: ", ")) TO \(quoted(role))"
    }
  }

  /// Returns the permissions of each role in the order of a file. No list of permissions is empty.
  static func permissions(
    of type: ParsedRecordType
  ) -> [(role: String, permissions: [SchemaPermission])] {
    var permissions: [String: Set<SchemaPermission>] = [:]
    for grant in type.grants {
      permissions[grant.role.value, default: []].formUnion(grant.permissions.map(\.value))
    }
    let custom = permissions.keys.filter { !ParsedSchema.systemRoles.contains($0) }.sorted()
    return (ParsedSchema.systemRoles + custom).compactMap {
      role -> (role: String, permissions: [SchemaPermission])? in
      guard let granted = permissions[role], !granted.isEmpty else { return nil }
      return (role, SchemaPermission.allCases.filter(granted.contains))
    }
  }

  /// Returns the type in the schema language.
  static func word(of type: ParsedType) -> String {
    switch type {
    case .type(let type):
      let word = (type.isEncrypted ? "ENCRYPTED " : "") + type.element.schemaWord
      return type.isList ? "LIST<\(word)>" : word
    case .number(let isList, let preferred):
      let word = preferred.map { "NUMBER PREFERRED AS \($0.schemaWord)" } ?? "NUMBER"
      return isList ? "LIST<\(word)>" : word
    }
  }

  /// Returns a name, in quotation marks if the language requires them.
  private static func quoted(_ name: String) -> String {
    let isPlain =
      Naming.isIdentifier(name) && !SchemaParser.reserved.contains(name.lowercased())
    return isPlain ? name : "\"\(name)\""
  }
}

extension ParsedSchema {
  /// The text of a schema file, in the form of Apple's export.
  public var text: String { SchemaPrinter.text(of: self) }
}

extension String {
  /// Whether the record type with this name is written before the record type named `other`.
  fileprivate func sorts(before other: String) -> Bool {
    let (left, right) = (lowercased(), other.lowercased())
    return left == right
      ? utf8.lexicographicallyPrecedes(other.utf8)
      : left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
