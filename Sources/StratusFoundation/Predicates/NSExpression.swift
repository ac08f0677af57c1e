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

  /// The kinds of expressions.
  public enum ExpressionType: UInt, Sendable {
    case constantValue = 0
    case evaluatedObject = 1
    case variable = 2
    case keyPath = 3
    case function = 4
    case unionSet = 5
    case intersectSet = 6
    case minusSet = 7
    case subquery = 13
    case aggregate = 14
    case anyKey = 15
    case block = 19
    case conditional = 20
  }

  /// The kind of the expression. Choice: a key of something other than the evaluated object shows
  /// as the function `valueForKeyPath:`, as on Apple's systems.
  public var expressionType: ExpressionType {
    switch term {
    case .constant: .constantValue
    case .keyPath: .keyPath
    case .evaluatedObject: .evaluatedObject
    case .variable: .variable
    case .aggregate: .aggregate
    case .function, .member: .function
    case .subquery: .subquery
    }
  }

  /// The name of a function, with colons; empty if it is none.
  public var function: String {
    switch term {
    case .function(let name, _): name
    case .member: "valueForKeyPath:"
    case .constant, .keyPath, .evaluatedObject, .variable, .aggregate, .subquery: ""
    }
  }

  /// The arguments of a function; nil if it is none.
  public var arguments: [NSExpression]? {
    switch term {
    case .function(_, let arguments): arguments.map { NSExpression($0) }
    case .member(_, let key): [NSExpression(.keyPath(key))]
    case .constant, .keyPath, .evaluatedObject, .variable, .aggregate, .subquery: nil
    }
  }

  /// The object that a function works on: the one whose key is read, else the evaluated object.
  public var operand: NSExpression {
    if case .member(let object, _) = term { NSExpression(object) } else { Self.evaluated }
  }

  /// The name of a variable, without its `$`; empty if it is none.
  public var variable: String {
    switch term {
    case .variable(let name): name
    case .subquery(_, let name, _): name
    case .constant, .keyPath, .evaluatedObject, .aggregate, .function, .member: ""
    }
  }

  /// The expressions of an aggregate, or the expression whose members a subquery asks; else nil.
  public var collection: Any? {
    switch term {
    case .aggregate(let terms): terms.map { NSExpression($0) }
    case .subquery(let collection, _, _): NSExpression(collection)
    case .constant, .keyPath, .evaluatedObject, .variable, .function, .member: nil
    }
  }

  /// The predicate that a subquery asks each member; else `TRUEPREDICATE`.
  public var predicate: NSPredicate {
    if case .subquery(_, _, let predicate) = term { predicate.predicate } else { Self.nothing }
  }

  private static var evaluated: NSExpression { NSExpression(.evaluatedObject) }
  private static var nothing: NSPredicate { NSPredicate(value: true) }

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
