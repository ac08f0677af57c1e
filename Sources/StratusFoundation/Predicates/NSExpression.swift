public import Foundation

/// One side of a comparison: a constant, a field, a function.
///
/// NB: it takes the place of Foundation's class of that name, which cannot be made on Linux; see
/// ``NSComparisonPredicate``.
public class NSExpression: NSObject, NSCopying {
  let term: PredicateTerm

  init(_ term: PredicateTerm) {
    self.term = term
    super.init()
  }

  /// A value; nil is no value.
  public convenience init(forConstantValue value: Any?) {
    self.init(.constant(PredicateValues.present(value)))
  }

  /// The value of a field.
  public convenience init(forKeyPath keyPath: String) { self.init(.keyPath(keyPath)) }

  /// A value that is given when the predicate is asked.
  public convenience init(forVariable name: String) { self.init(.variable(name)) }

  /// A list of expressions, all of this class.
  public convenience init(forAggregate expressions: [Any]) {
    self.init(
      .aggregate(expressions.map { ($0 as? NSExpression)?.term ?? .constant($0) }))
  }

  /// The result of a function, by its name with colons; the arguments are expressions.
  public convenience init(forFunction name: String, arguments: [Any]) {
    self.init(
      .function(
        name: name, arguments: arguments.map { ($0 as? NSExpression)?.term ?? .constant($0) }))
  }

  /// What the predicate is asked about.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// The value if it is a constant, as an object where there is one, so that it can be cast as on
  /// Apple's systems; else nil.
  public var constantValue: Any? {
    if case .constant(let value) = term { PredicateValues.object(value) ?? value } else { nil }
  }

  /// The field's name; empty if it is no field.
  public var keyPath: String {
    if case .keyPath(let path) = term { path } else { "" }
  }

  /// The value for an object; nil if there is none.
  public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    PredicateEvaluation(subject: object, bindings: [:]).value(of: term)
  }

  public override var description: String { PredicateText.text(of: term) }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSExpression else { return false }
    let relation = PredicateRelation.equalTo
    return ParsedPredicate.comparison(PredicateComparison(term, relation, .constant(nil)))
      .says(theSameAs: .comparison(PredicateComparison(other.term, relation, .constant(nil))))
  }

  public override var hash: Int { description.hashValue }
}
