package import Foundation

/// What a predicate says, as a tree.
package indirect enum ParsedPredicate {
  case truth(Bool)
  case comparison(PredicateComparison)
  /// All hold; with none in it, true.
  case and([ParsedPredicate])
  /// At least one holds; with none in it, false.
  case or([ParsedPredicate])
  case not(ParsedPredicate)
  /// A format that could not be read.
  case unreadable(PredicateProblem)
  /// A predicate whose meaning is code: made from a block, or a class of an app's own.
  case opaque(NSPredicate)
}

/// A relation between two terms.
package struct PredicateComparison {
  package var left: PredicateTerm
  package var relation: PredicateRelation
  package var right: PredicateTerm
  package var quantity: PredicateQuantity
  package var options: PredicateOptions

  package init(
    _ left: PredicateTerm, _ relation: PredicateRelation, _ right: PredicateTerm,
    quantity: PredicateQuantity = .direct, options: PredicateOptions = []
  ) {
    self.left = left
    self.relation = relation
    self.right = right
    self.quantity = quantity
    self.options = options
  }
}

/// A format that could not be read, and why.
package struct PredicateProblem: Error, Hashable, Sendable {
  package let format: String
  /// A sentence without its full stop.
  package let reason: String
}

/// How two terms are compared; the raw value is the word predicates print.
package enum PredicateRelation: String, Sendable, CaseIterable {
  case lessThan = "<"
  case lessThanOrEqualTo = "<="
  case greaterThan = ">"
  case greaterThanOrEqualTo = ">="
  case equalTo = "=="
  case notEqualTo = "!="
  case matches = "MATCHES"
  case like = "LIKE"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case `in` = "IN"
  case contains = "CONTAINS"
  case between = "BETWEEN"
  case tokenMatches = "TOKENMATCHES"

  /// The relation that holds with the two sides exchanged; nil if there is none.
  package var mirrored: PredicateRelation? {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    case .equalTo: .equalTo
    case .notEqualTo: .notEqualTo
    case .in: .contains
    case .contains: .in
    case .matches, .like, .beginsWith, .endsWith, .between, .tokenMatches: nil
    }
  }
}

/// Of how many values on the left a comparison must hold.
package enum PredicateQuantity: String, Sendable, CaseIterable {
  case direct = ""
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// The letters in brackets behind a relation.
package struct PredicateOptions: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let caseInsensitive = PredicateOptions(rawValue: 1)
  package static let diacriticInsensitive = PredicateOptions(rawValue: 2)
  package static let normalized = PredicateOptions(rawValue: 4)
  package static let localeSensitive = PredicateOptions(rawValue: 8)

  static let letters: [(letter: Character, option: PredicateOptions)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
    ("l", .localeSensitive),
  ]

  /// `[cd]`; empty if there are none.
  package var text: String {
    let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
    return letters.isEmpty ? "" : "[\(String(letters))]"
  }
}

extension ParsedPredicate {
  /// The predicate in its own language.
  package var text: String { PredicateText.text(of: self) }
}
