package import Foundation

extension ParsedPredicate {
  /// What a predicate of any making says.
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

  /// A predicate that says this, of the classes Apple's parser makes.
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

  /// NB: a predicate tells whether it is a constant only by being equal to one; what it prints is
  /// deprecated on Linux.
  private static var `true`: NSPredicate { NSPredicate(value: true) }
  private static var `false`: NSPredicate { NSPredicate(value: false) }

  /// Whether two predicates say the same of the same values.
  package func says(theSameAs other: ParsedPredicate) -> Bool {
    let (mine, theirs) = (PredicateText.template(of: self), PredicateText.template(of: other))
    guard mine.format == theirs.format, mine.arguments.count == theirs.arguments.count else {
      return false
    }
    return zip(mine.arguments, theirs.arguments).allSatisfy { PredicateValues.areEqual($0, $1) }
  }
}

extension NSPredicate {
  /// A predicate that says the same and that no change to this one reaches.
  ///
  /// NB: not `copy()`, with which Foundation on Linux turns every compound into FALSEPREDICATE.
  package var independentCopy: NSPredicate { ParsedPredicate(self).predicate }
}

/// AND, OR or NOT as a format makes it.
///
/// NB: Foundation's own class on Linux has neither copying nor equality of its own.
package class FormattedCompoundPredicate: NSCompoundPredicate {
  init(_ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]) {
    super.init(type: type, subpredicates: parts)
  }

  package override var predicateFormat: String { PredicateText.text(of: ParsedPredicate(self)) }

  package override var description: String { PredicateText.text(of: ParsedPredicate(self)) }

  package override func copy(with zone: NSZone? = nil) -> Any { independentCopy }

  /// Archives know it by the name that Apple's have.
  package override var classForKeyedArchiver: AnyClass? { NSCompoundPredicate.self }

  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSCompoundPredicate else { return false }
    return ParsedPredicate(self).says(theSameAs: ParsedPredicate(other))
  }

  package override var hash: Int {
    PredicateText.template(of: ParsedPredicate(self)).format.hashValue
  }
}

/// A predicate whose format could not be read: never true.
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

  /// Archives know it as a predicate like any other.
  package override var classForKeyedArchiver: AnyClass? { NSPredicate.self }

  package override func isEqual(_ object: Any?) -> Bool {
    (object as? UnreadablePredicate)?.problem == problem
  }

  package override var hash: Int { problem.hashValue }
}

extension NSPredicate {
  /// Whether two predicates say the same of the same values; those whose meaning is code never do.
  package func says(theSameAs other: NSPredicate) -> Bool {
    let (mine, theirs) = (ParsedPredicate(self), ParsedPredicate(other))
    return !mine.isOpaque && !theirs.isOpaque && mine.says(theSameAs: theirs)
  }
}

extension ParsedPredicate {
  /// Whether the meaning of any part is code.
  fileprivate var isOpaque: Bool {
    switch self {
    case .opaque: true
    case .and(let parts), .or(let parts): parts.contains(where: \.isOpaque)
    case .not(let part): part.isOpaque
    case .truth, .comparison, .unreadable: false
    }
  }
}
