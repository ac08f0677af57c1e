import StratusWire

/// Reads a schema file. The parser continues after a fault, so that one run finds many faults. It
/// does not recurse, so a deeply nested file cannot overflow the stack.
struct SchemaParser {
  private var lexer: SchemaLexer
  private var parserFaults: [SchemaFault] = []
  /// The tokens that were read ahead. There are at most two.
  private var ahead: [SchemaToken] = []

  init(_ text: String) { lexer = SchemaLexer(text) }

  /// The faults that the lexer and the parser have found so far.
  var faults: [SchemaFault] { lexer.faults + parserFaults }

  private var isFull: Bool { parserFaults.count >= Limits.schemaFaultsMax }

  mutating func parse() -> ParsedSchema {
    var schema = ParsedSchema()
    do throws(SchemaFault) { try header() } catch {
      note(error)
      // If only the first line is missing, the statements are still read.
      if !isStatement { skipStatement() }
    }
    while peek().kind != .end, !isFull {
      do throws(SchemaFault) { try statement(into: &schema) } catch {
        note(error)
        skipStatement()
      }
    }
    return schema
  }

  private mutating func header() throws(SchemaFault) {
    let first = peek()
    guard first.isKeyword("DEFINE") else {
      let advice =
        first.kind == .end ? "write it" : "add it before \(first.described)"
      throw SchemaFault(first.position, "a schema begins with 'DEFINE SCHEMA'; \(advice)")
    }
    take()
    let second = peek()
    guard second.isKeyword("SCHEMA") else {
      throw SchemaFault(
        second.position, "after 'DEFINE' comes 'SCHEMA', not \(second.described)")
    }
    take()
  }

  private var isStatement: Bool {
    mutating get { peek().isKeyword("RECORD") || peek().isKeyword("CREATE") }
  }

  private mutating func statement(into schema: inout ParsedSchema) throws(SchemaFault) {
    let first = peek()
    switch first.keyword {
    case "RECORD":
      take()
      try keyword("TYPE", after: "RECORD", "write 'RECORD TYPE'")
      schema.recordTypes.append(try recordType())
    case "CREATE":
      take()
      try keyword("ROLE", after: "CREATE", "write 'CREATE ROLE'")
      schema.roles.append(
        try name("a role needs a name; write one after 'CREATE ROLE'"))
    case "DEFINE":
      throw SchemaFault(
        first.position, "'DEFINE SCHEMA' stands once, at the beginning; remove this one")
    case "GRANT":
      throw SchemaFault(
        first.position,
        "a GRANT belongs to a record type; move it into the parentheses of its type")
    default:
      if first.kind == .mark(";") {
        throw SchemaFault(first.position, "there is no statement before this ';'; remove it")
      }
      throw SchemaFault(
        first.position,
        "a statement begins with 'RECORD TYPE' or 'CREATE ROLE', not \(first.described)")
    }
    try semicolon()
  }

  private mutating func semicolon() throws(SchemaFault) {
    let token = peek()
    if token.kind == .mark(";") {
      take()
      return
    }
    let fault = SchemaFault(
      token.position, "a statement ends with ';'; add one before \(token.described)")
    // The next statement is read as if the semicolon were there.
    guard isStatement || token.kind == .end else { throw fault }
    note(fault)
  }

  private mutating func recordType() throws(SchemaFault) -> ParsedRecordType {
    var type = ParsedRecordType(
      try name("a record type needs a name; write one after 'RECORD TYPE'"))
    let opening = peek()
    guard opening.kind == .mark("(") else {
      throw SchemaFault(
        opening.position,
        "after the name of a record type comes '(', not \(opening.described)")
    }
    take()
    if peek().kind == .mark(")") {
      take()
      return type
    }
    while !isFull {
      do throws(SchemaFault) { try entry(into: &type) } catch {
        note(error)
        skipEntry()
      }
      let token = peek()
      switch token.kind {
      case .mark(","):
        take()
        if peek().kind == .mark(")") {
          note(
            SchemaFault(
              token.position,
              "the last entry of a record type has no ',' after it; remove the ','"))
          take()
          return type
        }
      case .mark(")"):
        take()
        return type
      case .mark(";"), .end:
        throw SchemaFault(
          token.position,
          "the entries of '\(type.name.value.clipped)' end with ')'; add one before "
            + token.described)
      default:
        if isStatementAhead {
          throw SchemaFault(
            token.position,
            "the entries of '\(type.name.value.clipped)' end with ');'; add it before "
              + token.described)
        }
        note(
          SchemaFault(
            token.position, "entries have a ',' between them; add one before \(token.described)"))
      }
    }
    return type
  }

  /// Whether the next two words begin a new statement.
  private var isStatementAhead: Bool {
    mutating get {
      peek().isKeyword("RECORD") && peek(1).isKeyword("TYPE")
        || peek().isKeyword("CREATE") && peek(1).isKeyword("ROLE")
    }
  }

  private mutating func entry(into type: inout ParsedRecordType) throws(SchemaFault) {
    let first = peek()
    if isStatementAhead { return }
    switch first.kind {
    case .mark(","):
      throw SchemaFault(first.position, "there is no entry before this ','; remove it")
    case .mark(")") where !type.fields.isEmpty || !type.grants.isEmpty:
      return
    case .word where first.isKeyword("GRANT"): type.grants.append(try grant())
    case .word, .quoted: type.fields.append(try field())
    // The calling method reports that the parenthesis is missing.
    case .mark(";"), .end: return
    case .mark:
      throw SchemaFault(
        first.position, "an entry is a field or a GRANT, not \(first.described)")
    }
  }
}

// Grants and names
extension SchemaParser {
  private mutating func grant() throws(SchemaFault) -> ParsedGrant {
    take()
    var permissions: [Located<SchemaPermission>] = []
    while true {
      let token = peek()
      guard let word = token.keyword, let permission = SchemaPermission(rawValue: word) else {
        let advice =
          permissions.isEmpty && token.isTypeName
          ? "; a field of that name is written \"grant\"" : ""
        throw SchemaFault(
          token.position,
          "a GRANT names READ, CREATE or WRITE, not \(token.described)\(advice)")
      }
      if permissions.contains(where: { $0.value == permission }) {
        throw SchemaFault(
          token.position, "the GRANT names \(permission.rawValue) twice; remove one")
      }
      permissions.append(Located(permission, token.position))
      take()
      guard peek().kind == .mark(",") else { break }
      take()
    }
    let to = peek()
    guard to.isKeyword("TO") else {
      throw SchemaFault(
        to.position, "after the permissions of a GRANT comes 'TO', not \(to.described)")
    }
    take()
    let role = peek()
    if case .word(let word) = role.kind, word.utf8.first == UInt8(ascii: "_") {
      throw SchemaFault(
        role.position, "a name that begins with '_' needs quotes; write \"\(word.clipped)\"")
    }
    return ParsedGrant(
      permissions, to: try name("a GRANT needs a role; write one after 'TO'"))
  }

  /// Reads a name with or without quotation marks.
  ///
  /// - Parameter missing: the reason of the fault if the token is not a name.
  private mutating func name(
    _ missing: String
  ) throws(SchemaFault) -> Located<String> {
    let token = peek()
    switch token.kind {
    case .quoted(let name):
      take()
      return Located(name, token.position)
    case .word(let word):
      if Self.reserved.contains(word.lowercased()) {
        throw SchemaFault(
          token.position, "'\(word)' is a reserved word; write \"\(word)\" in quotes as a name")
      }
      if word.utf8.first == UInt8(ascii: "_") {
        throw SchemaFault(
          token.position, "a name that begins with '_' needs quotes; write \"\(word.clipped)\"")
      }
      take()
      return Located(word, token.position)
    case .mark, .end: throw SchemaFault(token.position, missing)
    }
  }

  /// The words that can be used as names only in quotation marks.
  static let reserved: Set<String> = [
    "grant", "preferred", "queryable", "searchable", "sortable",
  ]

  mutating func fieldName() throws(SchemaFault) -> Located<String> {
    try name("a field begins with its name")
  }
}

// Tokens
extension SchemaParser {
  mutating func peek(_ distance: Int = 0) -> SchemaToken {
    while ahead.count <= distance { ahead.append(lexer.next()) }
    return ahead[distance]
  }

  mutating func take() {
    _ = peek()
    ahead.removeFirst()
  }

  mutating func note(_ fault: SchemaFault) {
    if !isFull { parserFaults.append(fault) }
  }

  private mutating func keyword(
    _ word: String, after previous: String, _ advice: String
  ) throws(SchemaFault) {
    let token = peek()
    guard token.isKeyword(word) else {
      throw SchemaFault(
        token.position, "after '\(previous)' comes '\(word)', not \(token.described); \(advice)")
    }
    take()
  }

  /// Skips to the end of a faulty statement.
  private mutating func skipStatement() {
    while !isStatementAhead {
      switch peek().kind {
      case .end: return
      case .mark(";"):
        take()
        return
      default: take()
      }
    }
  }

  /// Skips to the end of a faulty entry. A comma between the permissions of a grant does not end
  /// the entry.
  private mutating func skipEntry() {
    while true {
      switch peek().kind {
      case .end, .mark(")"), .mark(";"): return
      case .mark(","):
        guard let word = peek(1).keyword, SchemaPermission(rawValue: word) != nil else { return }
        take()
      default:
        if isStatementAhead { return }
        take()
      }
    }
  }
}
