package import Foundation

extension ParsedPredicate {
  /// Converts a Foundation predicate of any class.
  package init(_ predicate: NSPredicate) {
    switch predicate {
    case let compound as NSCompoundPredicate:
      let parts = compound.subpredicates.map(ParsedPredicate.init)
      switch compound.compoundPredicateType {
      case .and: self = .and(parts)
      case .or: self = .or(parts)
      case .not: self = parts.first.map { .not($0) } ?? .truth(true)
      }
    case let comparison as NSComparisonPredicate: self = .comparison(comparison.comparison)
    case let unreadable as UnreadablePredicate: self = .unreadable(unreadable.problem)
    case _ where type(of: predicate) == NSPredicate.self && predicate.isEqual(Self.true):
      self = .truth(true)
    case _ where type(of: predicate) == NSPredicate.self && predicate.isEqual(Self.false):
      self = .truth(false)
    case _: self = .opaque(predicate)
    }
  }

  /// An equivalent Foundation predicate. The predicate and its parts have the same classes as on
  /// Apple's systems (for example `NSCompoundPredicate`), or subclasses of these classes.
  package var predicate: NSPredicate {
    switch self {
    case .truth(let value): NSPredicate(value: value)
    case .comparison(let comparison): NSComparisonPredicate(comparison)
    case .and(let parts): FormattedCompoundPredicate(.and, parts.map(\.predicate))
    case .or(let parts): FormattedCompoundPredicate(.or, parts.map(\.predicate))
    case .not(let part): FormattedCompoundPredicate(.not, [part.predicate])
    case .unreadable(let problem): UnreadablePredicate(problem)
    case .opaque(let predicate): predicate
    }
  }

  /// NB: a constant predicate can only be recognised by a comparison with these constants. Reading
  /// its printed form is deprecated on Linux.
  private static var `true`: NSPredicate { NSPredicate(value: true) }
  private static var `false`: NSPredicate { NSPredicate(value: false) }

  /// Whether two predicates have the same conditions and the same values.
  package func says(theSameAs other: ParsedPredicate) -> Bool {
    let (mine, theirs) = (PredicateText.template(of: self), PredicateText.template(of: other))
    guard mine.format == theirs.format, mine.arguments.count == theirs.arguments.count else {
      return false
    }
    return zip(mine.arguments, theirs.arguments).allSatisfy { PredicateValues.areEqual($0, $1) }
  }
}

extension NSPredicate {
  /// An equivalent predicate. It stays the same if this predicate changes later.
  ///
  /// NB: `copy()` cannot be used, because on Linux it turns every compound predicate into
  /// `FALSEPREDICATE`.
  package var independentCopy: NSPredicate { ParsedPredicate(self).predicate }
}

/// An AND, OR or NOT predicate that this module creates, for example from a format.
///
/// NB: on Linux, Foundation's own class supports neither copying nor comparison.
package class FormattedCompoundPredicate: NSCompoundPredicate {
  init(_ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]) {
    super.init(type: type, subpredicates: parts)
  }

  package override var predicateFormat: String { PredicateText.text(of: ParsedPredicate(self)) }

  package override var description: String { PredicateText.text(of: ParsedPredicate(self)) }

  package override func copy(with zone: NSZone? = nil) -> Any { independentCopy }

  /// Archives contain the name of Apple's class.
  package override var classForKeyedArchiver: AnyClass? { NSCompoundPredicate.self }

  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSCompoundPredicate else { return false }
    return ParsedPredicate(self).says(theSameAs: ParsedPredicate(other))
  }

  package override var hash: Int {
    PredicateText.template(of: ParsedPredicate(self)).format.hashValue
  }
}

/// A predicate whose format could not be parsed. It matches no object.
package class UnreadablePredicate: NSPredicate {
  let problem: PredicateProblem

  init(_ problem: PredicateProblem) {
    self.problem = problem
    super.init(block: { _, _ in false })
  }

  package override var predicateFormat: String { problem.format }

  package override var description: String { problem.format }

  package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?)
    -> Bool
  { false }

  package override func copy(with zone: NSZone? = nil) -> Any { self }

  /// Archives contain the class name of an ordinary predicate.
  package override var classForKeyedArchiver: AnyClass? { NSPredicate.self }

  package override func isEqual(_ object: Any?) -> Bool {
    (object as? UnreadablePredicate)?.problem == problem
  }

  package override var hash: Int { problem.hashValue }
}

extension NSPredicate {
  /// Whether two predicates have the same conditions and the same values. The result is false if
  /// any part of one of them is implemented by code.
  package func says(theSameAs other: NSPredicate) -> Bool {
    let (mine, theirs) = (ParsedPredicate(self), ParsedPredicate(other))
    return !mine.isOpaque && !theirs.isOpaque && mine.says(theSameAs: theirs)
  }
}

extension ParsedPredicate {
  /// Whether any part of the predicate is implemented by code.
  fileprivate var isOpaque: Bool {
    switch self {
    case .opaque: true
    case .and(let parts), .or(let parts): parts.contains(where: \.isOpaque)
    case .not(let part): part.isOpaque
    case .truth, .comparison, .unreadable: false
    }
  }
}
