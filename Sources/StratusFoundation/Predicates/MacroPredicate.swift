public import Foundation

extension _PredicateFormatReading {
  /// Converts a predicate that the macro `#Predicate` created. Returns nil if the predicate format
  /// language has no equivalent.
  ///
  /// The supported expressions are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `contains`,
  /// `starts(with:)`, casts, forced unwraps and `??`. Key paths must be fields or properties with a
  /// known name.
  ///
  /// Choice: a comparison of `field ?? value` is converted only if it has the same result for
  /// `value` as a query has for a record without the field. A query returns such a record for `!=`,
  /// and for no other comparison.
  public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    guard let expression = predicate.expression as? any NamedExpression,
      case .predicate(let parsed, _)? = expression.meaning,
      let predicate = parsed.predicate as? Self
    else { return nil }
    self = predicate
  }
}

/// The equivalent of a `#Predicate` expression in the predicate format language.
package enum ExpressionMeaning {
  /// A condition, and whether the condition depends on the default value of a `??`. If so, the
  /// negation of the condition has no equivalent.
  case predicate(ParsedPredicate, isDefaulted: Bool)
  case term(PredicateTerm)
  /// A term that has a default value.
  case defaulted(PredicateTerm, Any?)
}

/// A `#Predicate` expression that may have an equivalent in the predicate format language.
package protocol NamedExpression {
  /// The equivalent of the expression, or nil if there is none.
  var meaning: ExpressionMeaning? { get }
}

/// A type that knows the names of its properties in predicates. On Apple's systems, the Objective-C
/// runtime knows these names.
package protocol PropertyNaming {
  /// Returns the name of a property, or nil if it has none.
  static func name(of keyPath: AnyKeyPath) -> String?
}

/// Returns the term or the predicate that an expression of the macro stands for, or nil if the
/// server does not know such expressions.
private func meaning(of expression: Any) -> ExpressionMeaning? {
  (expression as? any NamedExpression)?.meaning
}

private func term(of expression: Any) -> PredicateTerm? {
  guard case .term(let term)? = meaning(of: expression) else { return nil }
  return term
}

private func condition(
  of expression: Any
) -> (predicate: ParsedPredicate, isDefaulted: Bool)? {
  guard case .predicate(let predicate, let isDefaulted)? = meaning(of: expression) else {
    return nil
  }
  return (predicate, isDefaulted)
}

/// NB: if the left side has a default value (`??`), the comparison must be false for this value, or
/// true in the case of `!=`. Otherwise the original predicate and the query would differ for
/// records without the field.
private func comparison(
  _ left: Any, _ relation: PredicateRelation, _ right: Any
) -> ExpressionMeaning? {
  guard let right = term(of: right) else { return nil }
  switch meaning(of: left) {
  case .term(let left):
    let comparison = PredicateComparison(left, relation, right)
    return .predicate(.comparison(comparison), isDefaulted: false)
  case .defaulted(let left, let value):
    guard right.isConstant else { return nil }
    let evaluation = PredicateEvaluation(subject: nil, bindings: [:])
    let byDefault = PredicateComparison(.constant(value), relation, right)
    guard evaluation.holds(byDefault) == (relation == .notEqualTo) else { return nil }
    let comparison = PredicateComparison(left, relation, right)
    return .predicate(.comparison(comparison), isDefaulted: true)
  case .predicate, nil: return nil
  }
}

extension PredicateExpressions.Variable: NamedExpression {
  package var meaning: ExpressionMeaning? { .term(.evaluatedObject) }
}

extension PredicateExpressions.Value: NamedExpression {
  package var meaning: ExpressionMeaning? { .term(.constant(PredicateValues.present(value))) }
}

extension PredicateExpressions.KeyPath: NamedExpression {
  package var meaning: ExpressionMeaning? {
    guard case .evaluatedObject? = term(of: root),
      let owner = type(of: keyPath).rootType as? any PropertyNaming.Type,
      let name = owner.name(of: keyPath)
    else { return nil }
    return .term(.keyPath(name))
  }
}

extension PredicateExpressions.ConditionalCast: NamedExpression {
  package var meaning: ExpressionMeaning? { StratusFoundation.meaning(of: input) }
}

extension PredicateExpressions.ForceCast: NamedExpression {
  package var meaning: ExpressionMeaning? { StratusFoundation.meaning(of: input) }
}

extension PredicateExpressions.ForcedUnwrap: NamedExpression {
  package var meaning: ExpressionMeaning? { StratusFoundation.meaning(of: inner) }
}

extension PredicateExpressions.NilCoalesce: NamedExpression {
  package var meaning: ExpressionMeaning? {
    guard let left = term(of: lhs), case .constant(let value)? = term(of: rhs) else { return nil }
    return .defaulted(left, value)
  }
}

extension PredicateExpressions.NilLiteral: NamedExpression {
  package var meaning: ExpressionMeaning? { .term(.constant(nil)) }
}

extension PredicateExpressions.Equal: NamedExpression {
  package var meaning: ExpressionMeaning? { comparison(lhs, .equalTo, rhs) }
}

extension PredicateExpressions.NotEqual: NamedExpression {
  package var meaning: ExpressionMeaning? { comparison(lhs, .notEqualTo, rhs) }
}

extension PredicateExpressions.Comparison: NamedExpression {
  package var meaning: ExpressionMeaning? {
    switch op {
    case .lessThan: comparison(lhs, .lessThan, rhs)
    case .lessThanOrEqual: comparison(lhs, .lessThanOrEqualTo, rhs)
    case .greaterThan: comparison(lhs, .greaterThan, rhs)
    case .greaterThanOrEqual: comparison(lhs, .greaterThanOrEqualTo, rhs)
    @unknown default: nil
    }
  }
}

extension PredicateExpressions.Conjunction: NamedExpression {
  package var meaning: ExpressionMeaning? {
    guard let left = condition(of: lhs), let right = condition(of: rhs) else { return nil }
    return .predicate(
      .and([left.predicate, right.predicate]), isDefaulted: left.isDefaulted || right.isDefaulted)
  }
}

extension PredicateExpressions.Disjunction: NamedExpression {
  package var meaning: ExpressionMeaning? {
    guard let left = condition(of: lhs), let right = condition(of: rhs) else { return nil }
    return .predicate(
      .or([left.predicate, right.predicate]), isDefaulted: left.isDefaulted || right.isDefaulted)
  }
}

extension PredicateExpressions.Negation: NamedExpression {
  package var meaning: ExpressionMeaning? {
    guard let inner = condition(of: wrapped), !inner.isDefaulted else { return nil }
    return .predicate(.not(inner.predicate), isDefaulted: false)
  }
}

extension PredicateExpressions.SequenceContains: NamedExpression {
  /// NB: if the sequence is constant, the element becomes the left side of `IN`. If the element has
  /// a default value, `comparison` checks that value.
  package var meaning: ExpressionMeaning? {
    guard let values = term(of: sequence), values.isConstant else {
      return comparison(sequence, .contains, element)
    }
    return comparison(element, .in, sequence)
  }
}

extension PredicateExpressions.SequenceStartsWith: NamedExpression {
  package var meaning: ExpressionMeaning? { comparison(base, .beginsWith, prefix) }
}
