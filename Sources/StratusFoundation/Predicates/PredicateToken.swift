/// A token of the predicate format language.
enum PredicateToken: Equatable {
  /// A name or keyword, including its dots and colons. After `#`, a word is always a name.
  case word(String, isEscaped: Bool)
  case string(String)
  case integer(Int64)
  case fraction(Double)
  /// A placeholder such as `%@`. If its number is nil, it takes the next argument. Numbers begin at
  /// 1.
  case argument(PredicateSpecifier, number: Int?)
  /// A variable such as `$name`.
  case variable(String)
  /// An operator or bracket.
  case symbol(String)
  case end

  /// A description of the token for error messages.
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

/// How an argument of the format is interpreted.
enum PredicateSpecifier: String {
  case value = "@"
  case key = "K"
  case integer = "d"
  case fraction = "f"
  case text = "s"
}
