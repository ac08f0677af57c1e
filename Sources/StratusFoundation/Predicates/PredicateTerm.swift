/// One side of a comparison.
package indirect enum PredicateTerm {
  /// A value as it was given; nil: no value.
  case constant(Any?)
  /// A field's name, or several joined by dots.
  case keyPath(String)
  /// `SELF`: what the predicate is asked about.
  case evaluatedObject
  /// `$name`, to be given when the predicate is asked.
  case variable(String)
  /// `{a, b}`
  case aggregate([PredicateTerm])
  /// `name(a, b)`; sums and the like are functions of two.
  case function(name: String, arguments: [PredicateTerm])
  /// A key of something other than `SELF`.
  case member(PredicateTerm, String)
  /// `SUBQUERY(collection, $variable, predicate)`
  case subquery(PredicateTerm, variable: String, ParsedPredicate)

  /// The operators of arithmetic, by the function's name.
  static let arithmetic: [String: String] = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
    "raise:toPower:": "**",
  ]

  /// Whether it is a constant, or an aggregate of constants.
  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .aggregate(let terms): terms.allSatisfy(\.isConstant)
    case .keyPath, .evaluatedObject, .variable, .function, .member, .subquery: false
    }
  }
}
