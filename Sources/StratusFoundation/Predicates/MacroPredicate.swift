public import Foundation

extension _PredicateFormatReading {
  /// The predicate that says the same as one of `#Predicate`; nil if there is none.
  ///
  /// It knows `==`, `!=`, the orders, `&&`, `||`, `!`, `contains`, `starts(with:)`, casts and
  /// `??`; of what is asked about, the fields and properties that have a name.
  ///
  /// Choice: a `??` is converted where its default makes the comparison false, because a field
  /// without a value is in no answer to a query.
  public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    guard let expression = predicate.expression as? any NamedExpression,
      case .predicate(let parsed, _)? = expression.meaning,
      let predicate = parsed.predicate as? Self
    else { return nil }
    self = predicate
  }
}

/// What an expression of `#Predicate` means in the language of formats.
package enum ExpressionMeaning {
  /// A condition, and whether it leans on a `??`: then its negation means something else.
  case predicate(ParsedPredicate, isDefaulted: Bool)
  case term(PredicateTerm)
  /// A term, and the value that stands in for it where it has none.
  case defaulted(PredicateTerm, Any?)
}

/// An expression of `#Predicate` that has a meaning in the language of formats.
package protocol NamedExpression {
  /// nil: it has none.
  var meaning: ExpressionMeaning? { get }
}

/// What names its properties for predicates, which on Apple's systems Objective-C does.
package protocol PropertyNaming {
  /// The name of a property; nil if it has none.
  static func name(of keyPath: AnyKeyPath) -> String?
}

/// What any expression means; nil if that has no name.
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

/// NB: with a default on its left the comparison must be false for that default, else records
/// without the field would be left out.
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
    guard !evaluation.holds(byDefault) else { return nil }
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
  /// NB: with the values on the left it is their default that decides, as in a comparison.
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
