/// Splits a format into tokens.
struct PredicateLexer {
  private let scalars: [Unicode.Scalar]
  private let format: String
  private var position = 0

  private static let symbols = [
    "&&", "||", "==", "=>", "=<", "!=", "<>", "<=", ">=", "**", ":=",
    "=", "<", ">", "!", "*", "/", "+", "-", "(", ")", "[", "]", "{", "}", ",", ".",
  ].map { Array($0.unicodeScalars) }

  init(_ format: String) {
    self.format = format
    scalars = Array(format.unicodeScalars)
  }

  /// Returns all tokens of the format. The last one is the end token.
  static func tokens(of format: String) throws(PredicateProblem) -> [PredicateToken] {
    var lexer = PredicateLexer(format)
    var tokens: [PredicateToken] = []
    while true {
      let token = try lexer.next()
      tokens.append(token)
      if token == .end { return tokens }
    }
  }

  private func problem(_ reason: String) -> PredicateProblem {
    PredicateProblem(format: format, reason: reason)
  }

  private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
    position + offset < scalars.count ? scalars[position + offset] : nil
  }

  private mutating func next() throws(PredicateProblem) -> PredicateToken {
    while let space = scalar(), space.properties.isWhitespace { position += 1 }
    guard let first = scalar() else { return .end }
    switch first {
    case "\"", "'": return .string(try string(delimiter: first))
    case "@":
      guard let quote = scalar(1), quote == "\"" || quote == "'" else { return try word() }
      position += 1
      return .string(try string(delimiter: quote))
    case "%": return try argument()
    case "$":
      position += 1
      return .variable(try name(after: "$"))
    case "#":
      position += 1
      return .word(try name(after: "#"), isEscaped: true)
    case "0"..."9": return try number()
    case "." where scalar(1).map(Self.isDigit) == true: return try number()
    case _ where Self.isNameStart(first): return try word()
    case _: return try symbol()
    }
  }

  private mutating func symbol() throws(PredicateProblem) -> PredicateToken {
    for symbol in Self.symbols where scalars[position...].starts(with: symbol) {
      position += symbol.count
      return .symbol(String(String.UnicodeScalarView(symbol)))
    }
    throw problem("'\(scalars[position])' is not part of the language")
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    isNameStart(scalar) || isDigit(scalar) || scalar.properties.numericType != nil
      || scalar.properties.generalCategory == .nonspacingMark
  }

  private mutating func name(after mark: String) throws(PredicateProblem) -> String {
    guard let first = scalar(), Self.isNameStart(first) else {
      throw problem("'\(mark)' must stand before a name")
    }
    let start = position
    while let part = scalar(), Self.isNamePart(part) { position += 1 }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  /// Reads a name with its dots (`address.city`, `tags.@count`), or the name of a function with its
  /// colons (`distanceToLocation:fromLocation:`).
  private mutating func word() throws(PredicateProblem) -> PredicateToken {
    let start = position
    if scalar() == "@" { position += 1 }
    _ = try name(after: "@")
    while let separator = scalar() {
      if separator == ".", let following = scalar(1) {
        let skipped = following == "@" ? 2 : 1
        guard let name = scalar(skipped), Self.isNameStart(name) else { break }
        position += skipped
      } else if separator == ":", let following = scalar(1),
        following == "(" || Self.isNameStart(following)
      {
        position += 1
        if following == "(" { break }
      } else {
        break
      }
      while let part = scalar(), Self.isNamePart(part) { position += 1 }
    }
    return .word(String(String.UnicodeScalarView(scalars[start..<position])), isEscaped: false)
  }

  private mutating func number() throws(PredicateProblem) -> PredicateToken {
    let start = position
    if scalar() == "0", scalar(1) == "x" || scalar(1) == "X" {
      position += 2
      while let digit = scalar(), digit.properties.isASCIIHexDigit { position += 1 }
      let digits = String(String.UnicodeScalarView(scalars[(start + 2)..<position]))
      guard let value = Int64(digits, radix: 16) else {
        throw problem("'0x\(digits)' is not a number")
      }
      return .integer(value)
    }
    while let digit = scalar(), Self.isDigit(digit) { position += 1 }
    if scalar() == ".", scalar(1).map(Self.isDigit) != false || scalar(1) == nil {
      position += 1
      while let digit = scalar(), Self.isDigit(digit) { position += 1 }
    }
    if scalar() == "e" || scalar() == "E" {
      let sign = scalar(1) == "-" || scalar(1) == "+" ? 2 : 1
      if scalar(sign).map(Self.isDigit) == true {
        position += sign
        while let digit = scalar(), Self.isDigit(digit) { position += 1 }
      }
    }
    let text = String(String.UnicodeScalarView(scalars[start..<position]))
    if let value = Int64(text) { return .integer(value) }
    guard let value = Double(text.hasPrefix(".") ? "0" + text : text), value.isFinite else {
      throw problem("'\(text)' is not a number")
    }
    return .fraction(value)
  }

  private mutating func argument() throws(PredicateProblem) -> PredicateToken {
    position += 1
    var number: Int?
    let start = position
    while let digit = scalar(), Self.isDigit(digit) { position += 1 }
    if position > start {
      let digits = String(String.UnicodeScalarView(scalars[start..<position]))
      guard scalar() == "$", let value = Int(digits), value > 0 else {
        throw problem("'%\(digits)' is not a specifier")
      }
      number = value
      position += 1
    }
    while let length = scalar(), "hlqLztj".unicodeScalars.contains(length) { position += 1 }
    guard let letter = scalar() else { throw problem("a specifier must follow '%'") }
    position += 1
    switch letter {
    case "@": return .argument(.value, number: number)
    case "K": return .argument(.key, number: number)
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C":
      return .argument(.integer, number: number)
    case "f", "F", "e", "E", "g", "G", "a", "A": return .argument(.fraction, number: number)
    case "s", "S": return .argument(.text, number: number)
    case _: throw problem("'%\(letter)' is not a specifier")
    }
  }
}

/// Reads texts in quotation marks.
extension PredicateLexer {
  fileprivate mutating func string(
    delimiter: Unicode.Scalar
  ) throws(PredicateProblem) -> String {
    position += 1
    var text = String.UnicodeScalarView()
    while let current = scalar() {
      position += 1
      if current == delimiter { return String(text) }
      guard current == "\\" else {
        text.append(current)
        continue
      }
      text.append(try escaped())
    }
    throw problem("a text is not closed by \(delimiter)")
  }

  private mutating func escaped() throws(PredicateProblem) -> Unicode.Scalar {
    guard let letter = scalar() else { throw problem("a text ends with a backslash") }
    position += 1
    switch letter {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "v": return "\u{b}"
    case "a": return "\u{7}"
    case "x": return try scalar(ofHexDigits: 2)
    case "u": return try scalar(ofHexDigits: 4)
    case "U": return try scalar(ofHexDigits: 8)
    case _: return letter
    }
  }

  private mutating func scalar(ofHexDigits count: Int) throws(PredicateProblem) -> Unicode.Scalar {
    let digits = String(String.UnicodeScalarView(scalars[position...].prefix(count)))
    guard digits.count == count, let value = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(value)
    else { throw problem("'\\\(digits)' is not a character") }
    position += count
    return scalar
  }
}
