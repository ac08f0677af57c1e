import StratusWire

// Fields
extension SchemaParser {
  mutating func field() throws(SchemaFault) -> ParsedField {
    let name = try fieldName()
    let type = try dataType(of: name.value)
    var options: [Located<SchemaOption>] = []
    while true {
      let token = peek()
      guard let word = token.keyword else { break }
      guard let option = SchemaOption(rawValue: word) else {
        // If a type follows this word, the word is the name of the next field, and the comma before
        // that field is missing.
        if word == "GRANT" || peek(1).isTypeName || isStatementWord(word) { break }
        throw SchemaFault(token.position, Self.unknownOption(token))
      }
      if options.contains(where: { $0.value == option }) {
        throw SchemaFault(
          token.position, "the field has the option \(option.rawValue) twice; remove one")
      }
      options.append(Located(option, token.position))
      take()
    }
    return ParsedField(name, type, options: options)
  }

  private func isStatementWord(_ word: String) -> Bool { word == "RECORD" || word == "CREATE" }

  private static func unknownOption(_ token: SchemaToken) -> String {
    let advice: String
    switch token.keyword {
    case "INDEXED", "INDEX": advice = "write QUERYABLE"
    case "ENCRYPTED": advice = "ENCRYPTED stands before the type"
    case "UNIQUE", "REQUIRED", "NOT", "NULL", "DEFAULT", "PRIMARY":
      advice = "CloudKit has no constraints; remove it"
    case "PREFERRED": advice = "PREFERRED AS follows NUMBER only; remove it"
    default: advice = "the options are QUERYABLE, SEARCHABLE and SORTABLE"
    }
    return "\(token.described) is not an index option; \(advice)"
  }

  private mutating func dataType(of name: String) throws(SchemaFault) -> Located<ParsedType> {
    let token = peek()
    guard token.isKeyword("LIST") else {
      return Located(try primitive(of: name, isList: false), token.position)
    }
    take()
    let opening = peek()
    guard opening.kind == .mark("<") else {
      throw SchemaFault(
        opening.position, "after 'LIST' comes '<', not \(opening.described); write LIST<STRING>")
    }
    take()
    if peek().isKeyword("LIST") {
      throw SchemaFault(
        peek().position, "a list cannot hold lists; write LIST<T> with the type of a single value")
    }
    let type = try primitive(of: name, isList: true)
    let closing = peek()
    guard closing.kind == .mark(">") else {
      throw SchemaFault(
        closing.position, "the type of a list ends with '>'; add one before \(closing.described)")
    }
    take()
    return Located(type, token.position)
  }

  private mutating func primitive(
    of name: String, isList: Bool
  ) throws(SchemaFault) -> ParsedType {
    let token = peek()
    switch token.keyword {
    case "ENCRYPTED":
      take()
      return .type(try encrypted(isList: isList))
    case "NUMBER":
      take()
      return .number(isList: isList, preferred: try preference())
    case let word?:
      if let element = FieldType.Element(schemaWord: word) {
        take()
        return .type(FieldType(element, isList: isList))
      }
      throw SchemaFault(token.position, Self.unknownType(token))
    case nil:
      throw SchemaFault(
        token.position,
        "the field '\(name.clipped)' needs a type, such as STRING, before \(token.described)")
    }
  }

  private mutating func encrypted(isList: Bool) throws(SchemaFault) -> FieldType {
    let token = peek()
    switch token.keyword {
    case "BYTES", "STRING", "DOUBLE", "INT64", "LOCATION", "TIMESTAMP":
      guard let element = token.keyword.flatMap(FieldType.Element.init(schemaWord:)) else { break }
      take()
      return FieldType(element, isList: isList, isEncrypted: true)
    case "REFERENCE":
      throw SchemaFault(token.position, "a REFERENCE cannot be encrypted; remove 'ENCRYPTED'")
    case "ASSET":
      throw SchemaFault(
        token.position, "an ASSET has no option 'ENCRYPTED', since assets always are; remove it")
    case "NUMBER":
      throw SchemaFault(
        token.position, "an encrypted number is ENCRYPTED INT64 or ENCRYPTED DOUBLE; write one")
    case "LIST":
      throw SchemaFault(
        token.position, "in a list, ENCRYPTED stands before the element; write LIST<ENCRYPTED T>")
    default: break
    }
    throw SchemaFault(
      token.position,
      "after 'ENCRYPTED' comes BYTES, DOUBLE, INT64, LOCATION, STRING or TIMESTAMP, not "
        + token.described)
  }

  /// Reads `PREFERRED AS` after `NUMBER`.
  private mutating func preference() throws(SchemaFault) -> FieldType.Element? {
    guard peek().isKeyword("PREFERRED") else { return nil }
    take()
    let word = peek()
    guard word.isKeyword("AS") else {
      throw SchemaFault(
        word.position, "after 'PREFERRED' comes 'AS', not \(word.described)")
    }
    take()
    let type = peek()
    switch type.keyword {
    case "INT64":
      take()
      return .int64
    case "DOUBLE":
      take()
      return .double
    default:
      throw SchemaFault(
        type.position, "after 'PREFERRED AS' comes INT64 or DOUBLE, not \(type.described)")
    }
  }

  private static func unknownType(_ token: SchemaToken) -> String {
    let advice: String
    switch token.keyword {
    case "INT", "INTEGER", "INT32", "LONG", "BOOL", "BOOLEAN": advice = "write INT64"
    case "FLOAT", "REAL", "DECIMAL": advice = "write DOUBLE"
    case "DATE", "TIME", "DATETIME": advice = "write TIMESTAMP"
    case "TEXT", "CHAR", "VARCHAR", "UUID", "URL": advice = "write STRING"
    case "DATA", "BLOB", "BINARY": advice = "write BYTES"
    case "FILE", "ASSETID": advice = "write ASSET"
    case "ARRAY", "SET": advice = "write LIST<T>"
    case "GEOPOINT", "COORDINATE": advice = "write LOCATION"
    case "QUERYABLE", "SEARCHABLE", "SORTABLE": advice = "the type stands before the options"
    default:
      advice =
        "the types are ASSET, BYTES, DOUBLE, ENCRYPTED T, INT64, LIST<T>, LOCATION, NUMBER, "
        + "REFERENCE, STRING and TIMESTAMP"
    }
    return "\(token.described) is not a type; \(advice)"
  }
}

extension SchemaToken {
  /// Whether the token can begin a type.
  var isTypeName: Bool {
    switch keyword {
    case "LIST", "ENCRYPTED", "NUMBER": true
    case let word?: FieldType.Element(schemaWord: word) != nil
    case nil: false
    }
  }
}

extension FieldType.Element {
  /// The type's name in the schema language. Only the name of assets differs from the web
  /// service's.
  var schemaWord: String { self == .asset ? "ASSET" : rawValue }

  init?(schemaWord: String) {
    switch schemaWord {
    case "ASSET": self = .asset
    case "ASSETID": return nil
    default: self.init(rawValue: schemaWord)
    }
  }
}
