import Foundation

/// Parses the terms of a predicate: constants, fields and calculations.
extension PredicateParser {
  mutating func sum() throws(PredicateProblem) -> Node {
    try chain(of: [("+", "add:to:"), ("-", "from:subtract:")]) { parser throws(PredicateProblem) in
      try parser.product()
    }
  }

  private mutating func product() throws(PredicateProblem) -> Node {
    try chain(of: [("*", "multiply:by:"), ("/", "divide:by:")]) {
      parser throws(PredicateProblem) in try parser.power()
    }
  }

  private mutating func power() throws(PredicateProblem) -> Node {
    try chain(of: [("**", "raise:toPower:")]) { parser throws(PredicateProblem) in
      try parser.signed()
    }
  }

  private mutating func chain(
    of operators: [(symbol: String, function: String)],
    _ part: (inout PredicateParser) throws(PredicateProblem) -> Node
  ) throws(PredicateProblem) -> Node {
    var result = try part(&self)
    var length = 0
    while let found = operators.first(where: { token == .symbol($0.symbol) }) {
      advance()
      length += 1
      guard length < Self.depthMax else {
        throw problem("more than \(Self.depthMax) operators follow each other")
      }
      let right = try term(try part(&self))
      result = .term(.function(name: found.function, arguments: [try term(result), right]))
    }
    return result
  }

  private mutating func signed() throws(PredicateProblem) -> Node {
    guard take(symbol: "-") else { return try postfix() }
    let operand = try nested { parser throws(PredicateProblem) in try parser.signed() }
    switch try term(operand) {
    case .constant(let value as Int64) where value != .min: return .term(.constant(-value))
    case .constant(let value as Double): return .term(.constant(-value))
    case let other:
      return .term(
        .function(name: "from:subtract:", arguments: [.constant(Int64(0)), other]))
    }
  }

  private mutating func postfix() throws(PredicateProblem) -> Node {
    var result = try primary()
    var length = 0
    while token == .symbol("[") || token == .symbol(".") {
      length += 1
      guard length < Self.depthMax else {
        throw problem("more than \(Self.depthMax) keys follow each other")
      }
      let whole = try term(result)
      if take(symbol: "[") {
        let index = try nested { parser throws(PredicateProblem) in try parser.sum() }
        try expect(symbol: "]")
        result = .term(
          .function(name: "objectFrom:withIndex:", arguments: [whole, try term(index)]))
      } else {
        advance()
        guard case .word(let key, _) = token else {
          throw problem("a key was expected behind '.' instead of \(token.sample)")
        }
        advance()
        result = .term(Self.member(key, of: whole))
      }
    }
    return result
  }

  private static func member(_ key: String, of whole: PredicateTerm) -> PredicateTerm {
    switch whole {
    case .keyPath(let path): .keyPath("\(path).\(key)")
    case .evaluatedObject: .keyPath(key)
    case .constant, .variable, .aggregate, .function, .member, .subquery: .member(whole, key)
    }
  }

  private mutating func primary() throws(PredicateProblem) -> Node {
    let first = token
    switch first {
    case .string(let text):
      advance()
      return .term(.constant(text))
    case .integer(let value):
      advance()
      return .term(.constant(value))
    case .fraction(let value):
      advance()
      return .term(.constant(value))
    case .variable(let name):
      advance()
      return .term(.variable(name))
    case .argument(let specifier, let number):
      advance()
      return .term(try argument(specifier, number: number))
    case .symbol("("):
      advance()
      let inner = try nested { parser throws(PredicateProblem) in try parser.disjunction() }
      try expect(symbol: ")")
      return inner
    case .symbol("{"):
      advance()
      return .term(.aggregate(try terms(closedBy: "}")))
    case .word(let name, let isEscaped):
      advance()
      return try word(name, isEscaped: isEscaped)
    case .symbol, .end:
      throw problem("a value was expected instead of \(first.sample)")
    }
  }

  private mutating func word(
    _ name: String, isEscaped: Bool
  ) throws(PredicateProblem) -> Node {
    if isEscaped { return .term(.keyPath(name)) }
    switch name.uppercased() {
    case "TRUEPREDICATE": return .predicate(.truth(true))
    case "FALSEPREDICATE": return .predicate(.truth(false))
    case "TRUE", "YES": return .term(.constant(true))
    case "FALSE", "NO": return .term(.constant(false))
    case "NULL", "NIL": return .term(.constant(nil))
    case "SELF": return .term(.evaluatedObject)
    case "SUBQUERY" where token == .symbol("("): return .term(try subquery())
    case let word where PredicateText.reserved.contains(word):
      throw problem("'\(name)' is a reserved word; as a field's name it is written '#\(name)'")
    case _: break
    }
    if take(symbol: "(") {
      return .term(.function(name: name, arguments: try terms(closedBy: ")")))
    }
    guard !name.contains(":") else { throw problem("'(' was expected behind '\(name)'") }
    return .term(
      name.uppercased().hasPrefix("SELF.")
        ? .keyPath(String(name.dropFirst(5)))
        : .keyPath(name))
  }

  private mutating func terms(
    closedBy bracket: String
  ) throws(PredicateProblem) -> [PredicateTerm] {
    if take(symbol: bracket) { return [] }
    var terms: [PredicateTerm] = []
    repeat {
      let element = try nested { parser throws(PredicateProblem) in try parser.sum() }
      terms.append(try term(element))
    } while take(symbol: ",")
    try expect(symbol: bracket)
    return terms
  }

  private mutating func subquery() throws(PredicateProblem) -> PredicateTerm {
    try expect(symbol: "(")
    let collection = try nested { parser throws(PredicateProblem) in try parser.sum() }
    try expect(symbol: ",")
    guard case .variable(let name) = token else {
      throw problem("a variable such as '$x' was expected instead of \(token.sample)")
    }
    advance()
    try expect(symbol: ",")
    let condition = try nested { parser throws(PredicateProblem) in try parser.disjunction() }
    try expect(symbol: ")")
    return .subquery(try term(collection), variable: name, try predicate(condition))
  }

  private mutating func argument(
    _ specifier: PredicateSpecifier, number: Int?
  ) throws(PredicateProblem) -> PredicateTerm {
    let index = number.map { $0 - 1 } ?? argumentsTaken
    if number == nil { argumentsTaken += 1 }
    guard index < arguments.count else {
      throw problem(
        "it has a place for argument \(index + 1), and \(arguments.count) were given")
    }
    let value = PredicateValues.present(arguments[index])
    switch specifier {
    case .value: return .constant(value)
    case .key:
      guard let key = value as? String, !key.isEmpty else {
        throw problem("'%K' needs the name of a field as its argument")
      }
      return key.uppercased() == "SELF" ? .evaluatedObject : .keyPath(key)
    case .integer:
      guard let whole = PredicateValues.integer(value) else {
        throw problem("argument \(index + 1) must be a number")
      }
      return .constant(whole)
    case .fraction:
      guard let number = value as? NSNumber else {
        throw problem("argument \(index + 1) must be a number")
      }
      return .constant(number.doubleValue)
    case .text:
      if let text = value as? String { return .constant(text) }
      guard let pointer = value as? UnsafePointer<CChar> else {
        throw problem("argument \(index + 1) must be a text")
      }
      return .constant(String(cString: pointer))
    }
  }
}
