/// One side of a comparison.
package indirect enum PredicateTerm {
  /// A constant value, or nil for no value.
  case constant(Any?)
  /// The name of a field, or several names joined by dots.
  case keyPath(String)
  /// `SELF`: the object that the predicate evaluates.
  case evaluatedObject
  /// A variable `$name`, whose value is given when the predicate is evaluated.
  case variable(String)
  /// A list `{a, b}` of terms.
  case aggregate([PredicateTerm])
  /// A call `name(a, b)`. An arithmetic operator is a function with two arguments.
  case function(name: String, arguments: [PredicateTerm])
  /// A key of an object other than `SELF`.
  case member(PredicateTerm, String)
  /// A subquery `SUBQUERY(collection, $variable, predicate)`.
  case subquery(PredicateTerm, variable: String, ParsedPredicate)

  /// The arithmetic operators, by their function names.
  static let arithmetic: [String: String] = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
    "raise:toPower:": "**",
  ]

  /// Whether the term is a constant, or an aggregate of constants.
  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .aggregate(let terms): terms.allSatisfy(\.isConstant)
    case .keyPath, .evaluatedObject, .variable, .function, .member, .subquery: false
    }
  }
}
