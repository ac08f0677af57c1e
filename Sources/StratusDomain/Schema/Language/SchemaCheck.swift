import StratusWire

/// Checks a parsed schema for faults that the grammar cannot exclude: wrong names, options and
/// roles, and duplicates. It does not compare the file with the stored schema.
struct SchemaCheck {
  private(set) var faults: [SchemaFault] = []

  mutating func check(_ schema: ParsedSchema) {
    var roles: [String: SchemaPosition] = [:]
    for role in schema.roles {
      checkRole(role)
      note(first: role, in: &roles, noun: "role")
    }
    if schema.roles.count > Limits.schemaRolesMax {
      fault(
        schema.roles[Limits.schemaRolesMax].position,
        "a schema has \(Limits.schemaRolesMax) roles at most; remove this one")
    }
    var types: [String: SchemaPosition] = [:]
    for type in schema.recordTypes {
      checkTypeName(type.name)
      note(first: type.name, in: &types, noun: "record type")
      check(type, roles: roles)
    }
    if schema.recordTypes.count > Limits.recordTypesMax {
      fault(
        schema.recordTypes[Limits.recordTypesMax].name.position,
        "a schema has \(Limits.recordTypesMax) record types at most; remove this one")
    }
  }

  private mutating func fault(_ position: SchemaPosition, _ reason: String) {
    if faults.count < Limits.schemaFaultsMax { faults.append(SchemaFault(position, reason)) }
  }

  private mutating func note(
    first name: Located<String>, in known: inout [String: SchemaPosition], noun: String
  ) {
    guard let earlier = known[name.value] else {
      known[name.value] = name.position
      return
    }
    fault(
      name.position,
      "the \(noun) '\(name.value.clipped)' is defined on line \(earlier.line) already; remove one")
  }

  private mutating func check(_ type: ParsedRecordType, roles: [String: SchemaPosition]) {
    var names: [String: SchemaPosition] = [:]
    var count = 0
    for field in type.fields {
      note(first: field.name, in: &names, noun: "field")
      if field.name.value.hasPrefix("_") {
        checkSystemField(field)
        continue
      }
      checkFieldName(field.name, in: type.name.value)
      checkOptions(field)
      count += 1
      if count == Limits.fieldsPerRecordTypeMax + 1 {
        fault(
          field.name.position,
          "a record type has \(Limits.fieldsPerRecordTypeMax) fields at most; remove this one")
      }
    }
    for grant in type.grants { check(grant, roles: roles) }
    if type.name.value == UserRecords.recordType { checkUsers(type) }
  }

  private mutating func checkUsers(_ type: ParsedRecordType) {
    let roles = type.fields.first { $0.name.value == UserRecords.rolesField }
    guard let roles else { return }
    if roles.type.value.fieldType != FieldType(.int64, isList: true) {
      fault(
        roles.type.position, "the field 'roles' of 'Users' is LIST<INT64>; write this type")
    }
  }
}

// Names
extension SchemaCheck {
  private mutating func checkTypeName(_ name: Located<String>) {
    if name.value.hasPrefix("_") {
      fault(
        name.position,
        "names that begin with '_' belong to the system; give the record type another name")
    } else if name.value != ParsedSchema.shareType {
      checkIdentifier(name, noun: "record type", lengthMax: Limits.recordTypeLengthMax)
    }
  }

  private mutating func checkFieldName(_ name: Located<String>, in type: String) {
    if type == ParsedSchema.shareType, name.value.hasPrefix("cloudkit.") { return }
    checkIdentifier(name, noun: "field", lengthMax: Limits.fieldNameLengthMax)
  }

  private mutating func checkRole(_ name: Located<String>) {
    if name.value.hasPrefix("_") {
      fault(
        name.position, "names that begin with '_' belong to the system; give the role another name")
    } else {
      checkIdentifier(name, noun: "role", lengthMax: Limits.recordTypeLengthMax)
    }
  }

  private mutating func checkIdentifier(_ name: Located<String>, noun: String, lengthMax: Int) {
    if name.value.utf8.count > lengthMax {
      fault(
        name.position,
        "the name of the \(noun) has more than \(lengthMax) characters; shorten it")
    } else if !Naming.isIdentifier(name.value) {
      fault(
        name.position,
        "the name '\(name.value.clipped)' of a \(noun) must be a letter, followed by letters, "
          + "digits and '_'; change it")
    }
  }
}

// Fields and grants
extension SchemaCheck {
  private mutating func checkSystemField(_ field: ParsedField) {
    guard let type = ParsedSchema.systemFields[field.name.value] else {
      let known = ParsedSchema.systemFields.keys.sorted().joined(separator: ", ")
      fault(
        field.name.position,
        "there is no system field '\(field.name.value.clipped)'; the system fields are \(known)")
      return
    }
    guard field.type.value == .type(FieldType(type)) else {
      fault(
        field.type.position,
        "the system field '\(field.name.value)' is a \(type.schemaWord); write this type")
      return
    }
    checkOptions(field)
  }

  /// `Choice:` options that Apple's exports contain are accepted, even if no query uses them:
  /// `BYTES QUERYABLE SORTABLE` and `REFERENCE SORTABLE`.
  private mutating func checkOptions(_ field: ParsedField) {
    let type = field.type.value.fieldType
    for option in field.options where !FieldIndexes.accepted(for: type).contains(option.value.mark)
    {
      fault(option.position, Self.reason(option.value, type))
    }
  }

  private static func reason(_ option: SchemaOption, _ type: FieldType) -> String {
    let word = option.rawValue
    if type.isEncrypted { return "an encrypted field cannot be \(word); remove the option" }
    if type.element == .asset { return "an ASSET cannot be \(word); remove the option" }
    if type.isList, option == .sortable { return "a list cannot be SORTABLE; remove the option" }
    if option == .searchable {
      return "only STRING and LIST<STRING> can be SEARCHABLE; remove the option"
    }
    return "a field of this type cannot be \(word); remove the option"
  }

  private mutating func check(_ grant: ParsedGrant, roles: [String: SchemaPosition]) {
    let role = grant.role.value
    if ParsedSchema.systemRoles.contains(role) || roles[role] != nil { return }
    fault(
      grant.role.position,
      role.hasPrefix("_")
        ? "there is no role '\(role.clipped)'; the system's roles are _creator, _icloud and _world"
        : "there is no role '\(role.clipped)'; add 'CREATE ROLE \(role.clipped);'")
  }
}

extension ParsedSchema {
  /// The system fields that a file can name, with their types.
  static let systemFields: [String: FieldType.Element] = [
    "___createTime": .timestamp, "___createdBy": .reference, "___etag": .string,
    "___modTime": .timestamp, "___modifiedBy": .reference, "___recordID": .reference,
  ]

  /// The roles that every schema has, in the order in which they are printed.
  static let systemRoles = ["_creator", "_icloud", "_world"]

  /// The record type of shares. Only this name and the names of its fields may contain a dot.
  static let shareType = "cloudkit.share"
}

extension FieldIndexes {
  /// The index marks that a schema file can give to fields of a type.
  static func accepted(for type: FieldType) -> FieldIndexes {
    if type.isEncrypted || type.element == .asset { return [] }
    if type.isList { return type.element == .string ? [.queryable, .searchable] : .queryable }
    return type.element == .string
      ? [.queryable, .sortable, .searchable] : [.queryable, .sortable]
  }
}
