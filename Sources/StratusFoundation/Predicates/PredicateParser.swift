import Foundation

/// Parses the tokens of a format into a syntax tree.
///
/// Brackets can contain a predicate or a term, and only the tokens after the brackets show which.
/// The parser therefore reads predicates and terms with the same rules. It distinguishes them only
/// where the format requires one of the two.
struct PredicateParser {
  enum Node {
    case predicate(ParsedPredicate)
    case term(PredicateTerm)
  }

  /// The maximum number of nested brackets and negations, and of operators or keys in one chain (`a
  /// + b + c`). The depth of the tree is limited, because the tree is traversed recursively.
  static let depthMax = 100

  let format: String
  let arguments: [Any?]
  private let tokens: [PredicateToken]
  private var position = 0
  private var depth = 0
  var argumentsTaken = 0

  init(format: String, arguments: [Any?]) throws(PredicateProblem) {
    self.format = format
    self.arguments = arguments
    tokens = try PredicateLexer.tokens(of: format)
  }

  /// Parses the whole format as one predicate.
  mutating func predicate() throws(PredicateProblem) -> ParsedPredicate {
    let whole = try disjunction()
    guard token == .end else { throw problem("\(token.sample) was not expected here") }
    return try predicate(whole)
  }

  var token: PredicateToken { tokens[position] }

  /// NB: the last token is the end token, which the parser never skips.
  mutating func advance() {
    if position < tokens.count - 1 { position += 1 }
  }

  func problem(_ reason: String) -> PredicateProblem {
    PredicateProblem(format: format, reason: reason)
  }

  /// Parses a part of the format that is one level deeper.
  mutating func nested<Part>(
    _ read: (inout PredicateParser) throws(PredicateProblem) -> Part
  ) throws(PredicateProblem) -> Part {
    guard depth < Self.depthMax else {
      throw problem("more than \(Self.depthMax) levels are nested")
    }
    depth += 1
    let part = try read(&self)
    depth -= 1
    return part
  }

  mutating func take(symbol: String) -> Bool {
    guard token == .symbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func expect(symbol: String) throws(PredicateProblem) {
    guard take(symbol: symbol) else {
      throw problem("'\(symbol)' was expected instead of \(token.sample)")
    }
  }

  /// The token as a keyword in capital letters, or nil if it is not a word, or if `#` marks it as a
  /// name.
  var keyword: String? {
    guard case .word(let text, isEscaped: false) = token else { return nil }
    return text.uppercased()
  }

  mutating func take(keyword: String) -> Bool {
    guard self.keyword == keyword else { return false }
    advance()
    return true
  }

  func term(_ node: Node) throws(PredicateProblem) -> PredicateTerm {
    switch node {
    case .term(let term): return term
    case .predicate: throw problem("a value was expected, and a condition was found")
    }
  }

  func predicate(_ node: Node) throws(PredicateProblem) -> ParsedPredicate {
    switch node {
    case .predicate(let predicate): return predicate
    case .term(let term):
      throw problem("'\(PredicateText.text(of: term))' is not a condition; compare it with a value")
    }
  }
}

/// Parses the conditions of a predicate.
extension PredicateParser {
  mutating func disjunction() throws(PredicateProblem) -> Node {
    let first = try conjunction()
    var parts: [ParsedPredicate] = []
    while take(symbol: "||") || take(keyword: "OR") {
      if parts.isEmpty { parts.append(try predicate(first)) }
      parts.append(try predicate(try conjunction()))
    }
    return parts.isEmpty ? first : .predicate(.or(parts))
  }

  private mutating func conjunction() throws(PredicateProblem) -> Node {
    let first = try negation()
    var parts: [ParsedPredicate] = []
    while take(symbol: "&&") || take(keyword: "AND") {
      if parts.isEmpty { parts.append(try predicate(first)) }
      parts.append(try predicate(try negation()))
    }
    return parts.isEmpty ? first : .predicate(.and(parts))
  }

  private mutating func negation() throws(PredicateProblem) -> Node {
    guard take(symbol: "!") || take(keyword: "NOT") else { return try comparison() }
    let negated = try nested { parser throws(PredicateProblem) in try parser.negation() }
    return .predicate(.not(try predicate(negated)))
  }

  private mutating func comparison() throws(PredicateProblem) -> Node {
    let quantity = takeQuantity()
    let left = try sum()
    guard let relation = takeRelation() else {
      if quantity == .direct { return left }
      throw problem("a comparison was expected behind '\(quantity.rawValue)'")
    }
    let options = try takeOptions()
    let comparison = PredicateComparison(
      try term(left), relation, try term(try sum()), quantity: quantity, options: options)
    if relation == .between { try checkBounds(comparison.right) }
    return .predicate(.comparison(comparison))
  }

  private mutating func takeQuantity() -> PredicateQuantity {
    let quantity: PredicateQuantity
    switch keyword {
    case "ANY", "SOME": quantity = .any
    case "ALL": quantity = .all
    case "NONE": quantity = .none
    case _: return .direct
    }
    advance()
    return quantity
  }

  private mutating func takeRelation() -> PredicateRelation? {
    let relation: PredicateRelation
    switch (token, keyword) {
    case (.symbol("="), _), (.symbol("=="), _): relation = .equalTo
    case (.symbol("!="), _), (.symbol("<>"), _): relation = .notEqualTo
    case (.symbol("<="), _), (.symbol("=<"), _): relation = .lessThanOrEqualTo
    case (.symbol(">="), _), (.symbol("=>"), _): relation = .greaterThanOrEqualTo
    case (.symbol("<"), _): relation = .lessThan
    case (.symbol(">"), _): relation = .greaterThan
    case (.word, let word?):
      guard word != PredicateRelation.equalTo.rawValue,
        let named = PredicateRelation(rawValue: word)
      else { return nil }
      relation = named
    case _: return nil
    }
    advance()
    return relation
  }

  private mutating func takeOptions() throws(PredicateProblem) -> PredicateOptions {
    guard take(symbol: "[") else { return [] }
    guard case .word(let letters, isEscaped: false) = token else {
      throw problem("the letters c, d, n or l were expected behind '['")
    }
    var options: PredicateOptions = []
    for letter in letters.lowercased() {
      guard let known = PredicateOptions.letters.first(where: { $0.letter == letter }) else {
        throw problem("'[\(letters)]' are no options; the letters c, d, n and l are")
      }
      options.insert(known.option)
    }
    advance()
    try expect(symbol: "]")
    return options
  }

  private func checkBounds(_ bounds: PredicateTerm) throws(PredicateProblem) {
    switch bounds {
    case .aggregate(let terms) where terms.count != 2:
      throw problem("BETWEEN needs two bounds, and \(terms.count) were given")
    case .constant(let value):
      guard let count = PredicateValues.list(value)?.count, count == 2 else {
        throw problem("BETWEEN needs an array of two bounds")
      }
    case .aggregate, .keyPath, .evaluatedObject, .variable, .function, .member, .subquery: break
    }
  }
}
