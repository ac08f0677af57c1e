public import Foundation

/// One side of a comparison: a constant, a field or a function.
///
/// NB: this class replaces Foundation's class of the same name. Foundation's class cannot be
/// instantiated on Linux (see `NSComparisonPredicate`).
public class NSExpression: NSObject, NSCopying {
  let term: PredicateTerm

  init(_ term: PredicateTerm) {
    self.term = term
    super.init()
  }

  /// Creates a constant. The constant nil means no value.
  public convenience init(forConstantValue value: Any?) {
    self.init(.constant(PredicateValues.present(value)))
  }

  /// Creates an expression for the value of a field.
  public convenience init(forKeyPath keyPath: String) { self.init(.keyPath(keyPath)) }

  /// Creates a variable, whose value is given when the predicate is evaluated.
  public convenience init(forVariable name: String) { self.init(.variable(name)) }

  /// Creates a list of expressions. An element that is not an expression becomes a constant.
  public convenience init(forAggregate expressions: [Any]) {
    self.init(
      .aggregate(expressions.map { ($0 as? NSExpression)?.term ?? .constant($0) }))
  }

  /// Creates a function call. The name includes its colons. An argument that is not an expression
  /// becomes a constant.
  public convenience init(forFunction name: String, arguments: [Any]) {
    self.init(
      .function(
        name: name, arguments: arguments.map { ($0 as? NSExpression)?.term ?? .constant($0) }))
  }

  /// Creates an expression whose value is the evaluated object itself.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// The kinds of expressions.
  public enum ExpressionType: UInt, Sendable {
    /// A value.
    case constantValue = 0
    /// The object for which the predicate is evaluated.
    case evaluatedObject = 1
    /// A variable, such as `$NAME`.
    case variable = 2
    /// A key path of the evaluated object.
    case keyPath = 3
    /// A call of a function.
    case function = 4
    /// The union of two sets.
    case unionSet = 5
    /// The intersection of two sets.
    case intersectSet = 6
    /// The difference of two sets.
    case minusSet = 7
    /// The members of a list that match a predicate.
    case subquery = 13
    /// A list of expressions.
    case aggregate = 14
    /// Any key of the evaluated object.
    case anyKey = 15
    /// A block of code.
    case block = 19
    /// One of two expressions, chosen by a predicate.
    case conditional = 20
  }

  /// The kind of the expression. Choice: a key of an object other than the evaluated object counts
  /// as a call of the function `valueForKeyPath:`, as on Apple's systems.
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

  /// The name of a function with its colons. For other expressions, it is an empty text.
  public var function: String {
    switch term {
    case .function(let name, _): name
    case .member: "valueForKeyPath:"
    case .constant, .keyPath, .evaluatedObject, .variable, .aggregate, .subquery: ""
    }
  }

  /// The arguments of a function, or nil for other expressions.
  public var arguments: [NSExpression]? {
    switch term {
    case .function(_, let arguments): arguments.map { NSExpression($0) }
    case .member(_, let key): [NSExpression(.keyPath(key))]
    case .constant, .keyPath, .evaluatedObject, .variable, .aggregate, .subquery: nil
    }
  }

  /// The object on which a function is called. For `valueForKeyPath:` it is the object whose key is
  /// read. For all other functions it is the evaluated object.
  public var operand: NSExpression {
    if case .member(let object, _) = term { NSExpression(object) } else { Self.evaluated }
  }

  /// The name of a variable, or of the variable of a subquery, without the `$`. For other
  /// expressions, it is an empty text.
  public var variable: String {
    switch term {
    case .variable(let name): name
    case .subquery(_, let name, _): name
    case .constant, .keyPath, .evaluatedObject, .aggregate, .function, .member: ""
    }
  }

  /// The expressions of an aggregate, or the collection of a subquery. It is nil for other
  /// expressions.
  public var collection: Any? {
    switch term {
    case .aggregate(let terms): terms.map { NSExpression($0) }
    case .subquery(let collection, _, _): NSExpression(collection)
    case .constant, .keyPath, .evaluatedObject, .variable, .function, .member: nil
    }
  }

  /// The predicate that a subquery evaluates for each member, or `TRUEPREDICATE` for other
  /// expressions.
  public var predicate: NSPredicate {
    if case .subquery(_, _, let predicate) = term { predicate.predicate } else { Self.nothing }
  }

  private static var evaluated: NSExpression { NSExpression(.evaluatedObject) }
  private static var nothing: NSPredicate { NSPredicate(value: true) }

  /// The value of a constant, or nil for other expressions. If possible, the value is an object, so
  /// that casts behave as on Apple's systems.
  public var constantValue: Any? {
    if case .constant(let value) = term { PredicateValues.object(value) ?? value } else { nil }
  }

  /// The key path of a field, or an empty text for other expressions.
  public var keyPath: String {
    if case .keyPath(let path) = term { path } else { "" }
  }

  /// Returns the value of the expression for an object, or nil if there is none.
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
