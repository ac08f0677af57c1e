/// A word of the language of predicates.
enum PredicateToken: Equatable {
  /// A name or keyword, dots and colons included. Behind `#` it is a name for sure.
  case word(String, isEscaped: Bool)
  case string(String)
  case integer(Int64)
  case fraction(Double)
  /// `%@` and the like; nil: the next argument, else its number from 1.
  case argument(PredicateSpecifier, number: Int?)
  /// `$name`
  case variable(String)
  /// An operator or bracket.
  case symbol(String)
  case end

  /// How a sentence names it.
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

/// What an argument is taken as.
enum PredicateSpecifier: String {
  case value = "@"
  case key = "K"
  case integer = "d"
  case fraction = "f"
  case text = "s"
}
