/// One side of a comparison.
package indirect enum PredicateTerm {
  /// A value as it was given; nil: no value.
  case constant(Any?)
  /// A field's name, or several joined by dots.
  case keyPath(String)
  /// `SELF`: the object that the predicate evaluates.
  case evaluatedObject
  /// `$name`, whose value is given when the predicate is evaluated.
  case variable(String)
  /// `{a, b}`
  case aggregate([PredicateTerm])
  /// `name(a, b)`; arithmetic operators are functions with two arguments.
  case function(name: String, arguments: [PredicateTerm])
  /// A key of an object other than `SELF`.
  case member(PredicateTerm, String)
  /// `SUBQUERY(collection, $variable, predicate)`
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
