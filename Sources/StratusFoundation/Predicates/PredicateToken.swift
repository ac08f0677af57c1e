/// A token of the predicate format language.
enum PredicateToken: Equatable {
  /// A name or keyword, including dots and colons. After `#` it is always a name.
  case word(String, isEscaped: Bool)
  case string(String)
  case integer(Int64)
  case fraction(Double)
  /// `%@` and similar; a nil number means the next argument, otherwise numbers start at 1.
  case argument(PredicateSpecifier, number: Int?)
  /// `$name`
  case variable(String)
  /// An operator or bracket.
  case symbol(String)
  case end

  /// The token's name in error messages.
  var sample: String {
    switch self {
    case .word(let text, _), .symbol(let text): "'\(text)'"
    case .string(let text): "the text '\(text)'"
    case .integer(let value): "the number \(value)"
    case .fraction(let value): "the number \(value)"
    case .argument(let specifier, _): "'%\(specifier.rawValue)'"
    case .variable(let name): "'$\(name)'"
    case .end: "the end"
    }
  }
}

/// The interpretation of an argument.
enum PredicateSpecifier: String {
  case value = "@"
  case key = "K"
  case integer = "d"
  case fraction = "f"
  case text = "s"
}
