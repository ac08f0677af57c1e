public import StratusWire

/// The syntax tree of a schema file.
public struct ParsedSchema: Sendable, Hashable {
  public var roles: [Located<String>]
  public var recordTypes: [ParsedRecordType]

  public init(roles: [Located<String>] = [], recordTypes: [ParsedRecordType] = []) {
    self.roles = roles
    self.recordTypes = recordTypes
  }

  /// The result of reading a file.
  public enum Reading: Sendable, Hashable {
    case schema(ParsedSchema)
    /// The faults of the file, sorted by position. There is at least one fault.
    case faulty([SchemaFault])
  }

  /// Reads the text of a schema file and checks it.
  ///
  /// A faulty file yields its first ``Limits/schemaFaultsMax`` faults.
  public static func read(_ text: String) -> Reading {
    guard text.utf8.count <= Limits.schemaTextBytesMax else {
      return .faulty([
        SchemaFault(
          .start,
          "the file has more than \(Limits.schemaTextBytesMax) bytes; remove record types that "
            + "no app uses")
      ])
    }
    var parser = SchemaParser(text)
    let schema = parser.parse()
    var faults = parser.faults
    // If the file cannot be parsed, ``SchemaCheck`` would report misleading faults.
    if faults.isEmpty {
      var check = SchemaCheck()
      check.check(schema)
      faults = check.faults
    }
    if faults.isEmpty { return .schema(schema) }
    let sorted = faults.sorted {
      ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
    }
    return .faulty(Array(sorted.prefix(Limits.schemaFaultsMax)))
  }
}

/// A `RECORD TYPE` statement.
public struct ParsedRecordType: Sendable, Hashable {
  public var name: Located<String>
  public var fields: [ParsedField]
  public var grants: [ParsedGrant]

  public init(
    _ name: Located<String>, fields: [ParsedField] = [], grants: [ParsedGrant] = []
  ) {
    self.name = name
    self.fields = fields
    self.grants = grants
  }
}

/// A field of a record type, or a system field with its index options.
public struct ParsedField: Sendable, Hashable {
  public var name: Located<String>
  public var type: Located<ParsedType>
  public var options: [Located<SchemaOption>]

  public init(
    _ name: Located<String>, _ type: Located<ParsedType>,
    options: [Located<SchemaOption>] = []
  ) {
    self.name = name
    self.type = type
    self.options = options
  }

  /// The options as index marks.
  public var indexes: FieldIndexes {
    options.reduce(into: []) { $0.formUnion($1.value.mark) }
  }
}

/// The type of a field as a file writes it.
public enum ParsedType: Sendable, Hashable {
  case type(FieldType)
  /// The type `NUMBER`, which is INT64 or DOUBLE, depending on `PREFERRED AS`.
  case number(isList: Bool, preferred: FieldType.Element?)

  /// The type of the field's values.
  ///
  /// `Choice:` `NUMBER` without `PREFERRED AS` is a DOUBLE, because a DOUBLE can also hold whole
  /// numbers.
  public var fieldType: FieldType {
    switch self {
    case .type(let type): type
    case .number(let isList, let preferred): FieldType(preferred ?? .double, isList: isList)
    }
  }
}

/// An index option of a field.
public enum SchemaOption: String, Sendable, Hashable, CaseIterable {
  // The cases are in the order in which Apple's tool prints them.
  case queryable = "QUERYABLE"
  case searchable = "SEARCHABLE"
  case sortable = "SORTABLE"

  public var mark: FieldIndexes {
    switch self {
    case .queryable: .queryable
    case .searchable: .searchable
    case .sortable: .sortable
    }
  }
}

/// A permission of a `GRANT` entry.
public enum SchemaPermission: String, Sendable, Hashable, CaseIterable {
  // The cases are in the order in which Apple's tool prints them.
  case read = "READ"
  case create = "CREATE"
  case write = "WRITE"
}

/// A `GRANT` entry of a record type.
public struct ParsedGrant: Sendable, Hashable {
  public var permissions: [Located<SchemaPermission>]
  public var role: Located<String>

  public init(_ permissions: [Located<SchemaPermission>], to role: Located<String>) {
    self.permissions = permissions
    self.role = role
  }
}
