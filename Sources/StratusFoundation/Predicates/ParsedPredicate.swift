package import Foundation

/// The syntax tree of a predicate.
package indirect enum ParsedPredicate {
  case truth(Bool)
  case comparison(PredicateComparison)
  /// Is true if all parts are true, or if there are no parts.
  case and([ParsedPredicate])
  /// Is true if at least one part is true. Without parts, it is false.
  case or([ParsedPredicate])
  case not(ParsedPredicate)
  /// A format that could not be parsed.
  case unreadable(PredicateProblem)
  /// A predicate that is implemented by code, such as a block or an app's own subclass.
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

/// The reason why a format could not be parsed.
package struct PredicateProblem: Error, Hashable, Sendable {
  package let format: String
  /// A sentence without its full stop.
  package let reason: String
}

/// The relation of two terms. The raw value is the text of the relation in a printed predicate.
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

  /// The relation that has the same meaning when the two sides are exchanged, or nil if there is
  /// none.
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

/// How many values of a list on the left side must match: all, at least one, or none. `direct`
/// compares the left side itself.
package enum PredicateQuantity: String, Sendable, CaseIterable {
  case direct = ""
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// The option letters in brackets after a relation.
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

  /// The text of the options, such as `[cd]`, or an empty text if there are none.
  package var text: String {
    let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
    return letters.isEmpty ? "" : "[\(String(letters))]"
  }
}

extension ParsedPredicate {
  /// The predicate as text in the format language.
  package var text: String { PredicateText.text(of: self) }
}
