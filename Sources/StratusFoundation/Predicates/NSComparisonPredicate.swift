public import Foundation
import StratusArchive

/// A predicate that compares two expressions.
///
/// NB: this class replaces Foundation's class of the same name. Foundation's class cannot be
/// instantiated on Linux. A file that imports both modules and uses the name as a type must write
/// `CloudKit.NSComparisonPredicate`, or define a type alias.
public class NSComparisonPredicate: NSPredicate {
  /// Which values of a list on the left side must match: all values, or at least one.
  public enum Modifier: UInt, Sendable {
    /// Compares the two sides directly.
    case direct = 0
    /// Is true if the comparison is true for every value of a list on the left side.
    case all = 1
    /// Is true if the comparison is true for at least one value of a list on the left side.
    case any = 2
  }

  /// How the two sides are compared.
  public enum Operator: UInt, Sendable {
    /// `<`
    case lessThan = 0
    /// `<=`
    case lessThanOrEqualTo = 1
    /// `>`
    case greaterThan = 2
    /// `>=`
    case greaterThanOrEqualTo = 3
    /// `==`
    case equalTo = 4
    /// `!=`
    case notEqualTo = 5
    /// `MATCHES`: the text matches a regular expression.
    case matches = 6
    /// `LIKE`: the text matches a pattern with `?` and `*`.
    case like = 7
    /// `BEGINSWITH`
    case beginsWith = 8
    /// `ENDSWITH`
    case endsWith = 9
    /// `IN`: the left side is a member of the right side.
    case `in` = 10
    /// A method that the left side implements. This operator cannot be used, because Swift on Linux
    /// has no selectors.
    case customSelector = 11
    /// `CONTAINS`: the right side is a member or a part of the left side.
    case contains = 99
    /// `BETWEEN`: the left side is between two values, or equal to one of them.
    case between = 100
  }

  /// How texts are compared.
  public struct Options: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// `[c]`: upper-case and lower-case letters are equal.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: letters with and without diacritics are equal.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: the texts are already normalized.
    public static let normalized = Options(rawValue: 4)
  }

  let comparison: PredicateComparison

  init(_ comparison: PredicateComparison) {
    self.comparison = comparison
    super.init(block: { _, _ in false })
  }

  /// Creates a comparison of two expressions. To use `customSelector` is a programmer error,
  /// because Swift on Linux has no selectors.
  public convenience init(
    leftExpression left: NSExpression, rightExpression right: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    guard let relation = PredicateRelation(type) else {
      preconditionFailure("there are no selectors to compare by")
    }
    self.init(
      PredicateComparison(
        left.term, relation, right.term, quantity: PredicateQuantity(modifier),
        options: PredicateOptions(rawValue: UInt8(truncatingIfNeeded: options.rawValue & 7))))
  }

  /// The left side.
  public var leftExpression: NSExpression { NSExpression(comparison.left) }
  /// The right side.
  public var rightExpression: NSExpression { NSExpression(comparison.right) }
  /// How the sides are compared. The property is `customSelector` for `TOKENMATCHES`, which has no
  /// case in ``Operator``.
  public var predicateOperatorType: Operator { Operator(comparison.relation) }
  /// How texts are compared.
  public var options: Options {
    Options(rawValue: UInt(comparison.options.rawValue & 7))
  }
  /// Which values of a list on the left side must match. The property is `any` if the format says
  /// `NONE`.
  public var comparisonPredicateModifier: Modifier {
    switch comparison.quantity {
    case .direct: .direct
    case .all: .all
    case .any, .none: .any
    }
  }

  public override var classForKeyedArchiver: AnyClass? {
    ArchiveName.predicateComparison.standIn
  }

  /// The predicate as text in the format language.
  public override var predicateFormat: String { PredicateText.text(of: .comparison(comparison)) }

  public override var description: String { PredicateText.text(of: .comparison(comparison)) }

  /// Whether an object matches the predicate.
  public override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    PredicateEvaluation(subject: object, bindings: bindings ?? [:]).holds(comparison)
  }

  public override func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSComparisonPredicate else { return false }
    return ParsedPredicate.comparison(comparison)
      .says(theSameAs: .comparison(other.comparison))
  }

  public override var hash: Int {
    PredicateText.template(of: .comparison(comparison)).format.hashValue
  }
}

extension PredicateRelation {
  fileprivate init?(_ type: NSComparisonPredicate.Operator) {
    switch type {
    case .lessThan: self = .lessThan
    case .lessThanOrEqualTo: self = .lessThanOrEqualTo
    case .greaterThan: self = .greaterThan
    case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
    case .equalTo: self = .equalTo
    case .notEqualTo: self = .notEqualTo
    case .matches: self = .matches
    case .like: self = .like
    case .beginsWith: self = .beginsWith
    case .endsWith: self = .endsWith
    case .in: self = .in
    case .contains: self = .contains
    case .between: self = .between
    case .customSelector: return nil
    }
  }
}

extension NSComparisonPredicate.Operator {
  fileprivate init(_ relation: PredicateRelation) {
    self =
      switch relation {
      case .lessThan: .lessThan
      case .lessThanOrEqualTo: .lessThanOrEqualTo
      case .greaterThan: .greaterThan
      case .greaterThanOrEqualTo: .greaterThanOrEqualTo
      case .equalTo: .equalTo
      case .notEqualTo: .notEqualTo
      case .matches: .matches
      case .like: .like
      case .beginsWith: .beginsWith
      case .endsWith: .endsWith
      case .in: .in
      case .contains: .contains
      case .between: .between
      case .tokenMatches: .customSelector
      }
  }
}

extension PredicateQuantity {
  fileprivate init(_ modifier: NSComparisonPredicate.Modifier) {
    self =
      switch modifier {
      case .direct: .direct
      case .all: .all
      case .any: .any
      }
  }
}
