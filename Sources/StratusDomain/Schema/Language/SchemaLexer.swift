import StratusWire

/// Splits the text of a schema file into tokens.
struct SchemaLexer {
  private let text: String.UnicodeScalarView
  private var index: String.UnicodeScalarView.Index
  private var position = SchemaPosition.start
  private(set) var faults: [SchemaFault] = []

  init(_ text: String) {
    self.text = text.unicodeScalars
    index = self.text.startIndex
    // A byte order mark is not part of the text.
    if self.text.first == "\u{FEFF}" { self.text.formIndex(after: &index) }
  }

  private var current: Unicode.Scalar? { index < text.endIndex ? text[index] : nil }

  private var following: Unicode.Scalar? {
    guard index < text.endIndex else { return nil }
    let next = text.index(after: index)
    return next < text.endIndex ? text[next] : nil
  }

  private mutating func advance() {
    guard let scalar = current else { return }
    text.formIndex(after: &index)
    switch scalar {
    case "\n": position = SchemaPosition(line: position.line + 1, column: 1)
    // In "\r\n", the second character ends the line.
    case "\r" where current != "\n":
      position = SchemaPosition(line: position.line + 1, column: 1)
    default: position.column += 1
    }
  }

  /// Returns the next token. White space, comments and illegal characters before it are skipped.
  mutating func next() -> SchemaToken {
    while let scalar = current {
      let start = position
      switch scalar {
      case " ", "\t", "\n", "\r", "\u{0C}", "\u{FEFF}", "\u{A0}": advance()
      case "/" where following == "/", "-" where following == "-": skipLine()
      case "/" where following == "*": skipComment(from: start)
      case "(", ")", "<", ">", ",", ";":
        advance()
        return SchemaToken(kind: .mark(Character(scalar)), position: start)
      case "\"":
        if let token = quotedName(from: start) { return token }
      case _ where scalar.isLetter || scalar == "_":
        return SchemaToken(kind: .word(self.word()), position: start)
      case "0"..."9":
        let word = self.word()
        fault(start, "a name begins with a letter, but '\(word.clipped)' begins with a digit")
        return SchemaToken(kind: .word(word), position: start)
      default: skipIllegal(from: start)
      }
    }
    return SchemaToken(kind: .end, position: position)
  }

  private mutating func skipLine() {
    while let scalar = current, scalar != "\n", scalar != "\r" { advance() }
  }

  private mutating func skipComment(from start: SchemaPosition) {
    advance()
    advance()
    while current != nil {
      if current == "*", following == "/" {
        advance()
        advance()
        return
      }
      advance()
    }
    fault(start, "the comment that begins here does not end; add '*/'")
  }

  /// Skips consecutive illegal characters, and reports them as one fault.
  private mutating func skipIllegal(from start: SchemaPosition) {
    guard let first = current else { return }
    while let scalar = current, scalar.isIllegal { advance() }
    let name =
      first.properties.generalCategory == .control
      ? "U+\(String(first.value, radix: 16, uppercase: true))" : "'\(first)'"
    let advice =
      switch first {
      case "'", "`", "\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}":
        "write names in straight double quotes"
      case ".", "$", "@": "write a name that contains it in double quotes"
      case "{", "[": "entries are enclosed in '(' and ')'"
      case "}", "]": "entries are enclosed in '(' and ')'"
      case ":", "=": "a field is its name, a space and its type"
      case "#": "a comment begins with '--' or '//'"
      case "/", "-", "*": "a comment begins with '--' or '//', or is enclosed in '/*' and '*/'"
      default: "remove it"
      }
    fault(start, "\(name) is not part of the language; \(advice)")
  }

  private mutating func word() -> String {
    var word = ""
    while let scalar = current, scalar.isWordPart {
      word.unicodeScalars.append(scalar)
      advance()
    }
    return word
  }

  private mutating func quotedName(from start: SchemaPosition) -> SchemaToken? {
    advance()
    var name = ""
    while let scalar = current, scalar != "\n", scalar != "\r" {
      advance()
      if scalar == "\"" {
        if name.isEmpty {
          fault(start, "a name must not be empty; write one between the quotation marks")
          // The parser continues as if there were a name.
          name = "_"
        }
        return SchemaToken(kind: .quoted(name), position: start)
      }
      name.unicodeScalars.append(scalar)
    }
    fault(start, "the quoted name that begins here does not end on its line; add '\"'")
    return nil
  }

  private mutating func fault(_ position: SchemaPosition, _ reason: String) {
    if faults.count < Limits.schemaFaultsMax { faults.append(SchemaFault(position, reason)) }
  }
}

extension Unicode.Scalar {
  fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

  fileprivate var isWordPart: Bool { isLetter || ("0"..."9").contains(self) || self == "_" }

  /// Whether the character is neither white space nor part of a token.
  fileprivate var isIllegal: Bool {
    if isWordPart { return false }
    switch self {
    case " ", "\t", "\n", "\r", "\u{0C}", "\u{FEFF}", "\u{A0}", "(", ")", "<", ">", ",", ";",
      "\"":
      return false
    default: return true
    }
  }
}
